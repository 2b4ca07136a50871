import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { killComponent, stackDown, stackUp, startComponent, type Stack } from '../../devstack/index.ts'
import { importPackages } from '../../src/engine/postgres/operator/import-packages.ts'
import type { Service } from '../../src/serve/service.ts'
import type { Answer } from '../kit/call.ts'
import { asLines } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'
import { sized } from './attacks/tally.ts'
import { agentRegisters, type AgentRegisters, type AgentState } from './agent-registers.ts'
import { attempt, pause, until } from './attempt.ts'
import { newSeed, rollDice, type Dice } from './dice.ts'
import { findAnomaly, type Operation } from './linearizability.ts'
import { metadataPanel, type MetadataPanel } from './metadata-panel.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const clientsCount = 8
const agentsCount = 20
const roundOperations = 1_000
const rounds = Math.ceil(sized(10_000, 400_000) / roundOperations)
/** Half of the writes take one; more than any agent will need, or writes of packages would become rare at the end. */
const packagesCount = Math.ceil(((rounds * roundOperations) / agentsCount) * 0.35)

const dice = rollDice(newSeed())
/** Engines of its own, because it kills them. */
const name = `linear-${randomBytes(3).toString('hex')}`
let stack: Stack
let world: World
let service: Service
let panel: MetadataPanel
let agents: AgentRegisters[]

beforeAll(async () => {
  stack = await stackUp({ name })
  world = await openWorld({ stack })
  panel = await metadataPanel(world, 'acme', 1, agentsCount)
  const packages = Array.from({ length: packagesCount }, (_, index) => `Fibre ${index}`)
  const rows = packages.map((one, index) => ({
    line: index + 2,
    row: { isp: 'Northern', package: one, download_bits_sec: null, upload_bits_sec: null },
  }))
  await world.operate((operator) => importPackages(operator, asLines(rows), () => {}))
  const packageNames = packages.map((one) => `Northern:${one}`)
  agents = panel.units.map((unit) => agentRegisters(unit, unit % 2 === 0, packageNames))
  service = await world.serve()
}, 120_000)
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await stackDown({ name, wipe: true })
  }
}, 60_000)

const counts = { operations: 0, writes: 0, ambiguousWrites: 0, failedReads: 0, kills: 0 }
/** Answers that neither a working nor a broken store explains. */
const unexpected: string[] = []

/** Was it answered? A store that is away may answer 503 and nothing else. */
function isAnswered(answer: Answer | null): answer is Answer {
  if (answer !== null && answer.status !== 200 && answer.status !== 503) unexpected.push(answer.text)
  return answer?.status === 200
}

async function write(agent: AgentRegisters, clientDice: Dice): Promise<boolean> {
  const next = agent.nextWrite(clientDice)
  const startedAt = performance.now()
  const answer = await attempt(`${service.addresses.api}/metadata`, {
    method: 'PUT',
    token: panel.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(next.body),
  })
  const answered = isAnswered(answer)
  agent.noteWrite(next, startedAt, answered ? performance.now() : Infinity)
  counts.writes += 1
  counts.ambiguousWrites += answered ? 0 : 1
  return answered
}

async function read(agent: AgentRegisters): Promise<boolean> {
  const startedAt = performance.now()
  const answer = await attempt(`${service.addresses.api}/metadata/unit/${agent.unit}`, { token: panel.token })
  const answered = isAnswered(answer)
  if (answered) agent.noteRead(answer.body['data'] as AgentState, startedAt, performance.now())
  counts.failedReads += answered ? 0 : 1
  return answered
}

/** One client's share of a round: one operation after the other as long as there are any left. */
async function runClient(clientDice: Dice, take: () => boolean): Promise<void> {
  while (take()) {
    const agent = clientDice.pick(agents)
    counts.operations += 1
    const answered = await (clientDice.between(0, 1) === 0 ? read(agent) : write(agent, clientDice))
    // Or the operations of a round would all be spent while the store is away.
    if (!answered) await pause(100)
  }
}

async function runRound(number: number, withKill: boolean): Promise<void> {
  const killAfter = withKill ? dice.between(roundOperations / 10, roundOperations / 2) : Infinity
  const killNow = Promise.withResolvers<void>()
  let taken = 0
  const take = (): boolean => {
    taken += 1
    if (taken === killAfter) killNow.resolve()
    return taken <= roundOperations
  }
  const clients = Array.from({ length: clientsCount }, (_, index) =>
    runClient(dice.fork(number * clientsCount + index), take),
  )
  if (withKill) {
    await killNow.promise
    await killComponent(stack, 'postgres')
    counts.kills += 1
    await startComponent(stack, 'postgres')
  }
  await Promise.all(clients)
  // What a round leaves behind is read when nothing runs any more, or a change lost at its end would go unnoticed.
  for (const agent of agents) await until(() => read(agent), 10_000)
}

const allHistories = (): [string, readonly Operation[]][] =>
  agents.flatMap(({ unit, histories }) =>
    [...histories].map(([register, history]): [string, readonly Operation[]] => [`${unit} ${register}`, history]),
  )

it(
  'every agent is a register: reads see the newest acknowledged change, also while PostgreSQL is killed',
  { timeout: deep ? 5_400_000 : 300_000 },
  async () => {
    const startedAt = performance.now()
    for (let round = 0; round < rounds; round += 1) await runRound(round, round % 2 === 1)
    const seconds = (performance.now() - startedAt) / 1000
    const histories = allHistories()
    const anomalies = histories.flatMap(([register, history]) => {
      const anomaly = findAnomaly(history)
      return anomaly === null ? [] : [`${register}: ${anomaly}`]
    })
    const seen = seenAmbiguousWrites(histories)
    console.log(
      `linearizability: seed ${dice.seed}, ${counts.operations} operations by ${clientsCount} clients in ` +
        `${seconds.toFixed(1)} s, ${histories.length} histories, ${counts.kills} kills of PostgreSQL, ` +
        `${counts.ambiguousWrites} of ${counts.writes} writes ambiguous (${seen} of them took effect), ` +
        `${counts.failedReads} reads failed, ${anomalies.length} anomalies`,
    )
    expect(unexpected).toEqual([])
    expect(anomalies).toEqual([])
    expect(counts.operations).toBe(rounds * roundOperations)
    expect(counts.ambiguousWrites).toBeGreaterThan(0)
    expect(counts.ambiguousWrites).toBeLessThan(counts.writes / 2)
  },
)

function seenAmbiguousWrites(histories: [string, readonly Operation[]][]): number {
  return histories
    .map(([, history]) => {
      const reads = new Set(history.filter(({ kind }) => kind === 'read').map(({ value }) => value))
      return history.filter(({ endedAt, value }) => endedAt === Infinity && reads.has(value)).length
    })
    .reduce((sum, one) => sum + one, 0)
}

it('would have noticed: the same histories with one old value at the end are refused', () => {
  for (const [register, history] of allHistories()) {
    const acknowledged = history.filter(({ kind, endedAt }) => kind === 'write' && endedAt < Infinity)
    const last = history.findLast(({ kind }) => kind === 'read')
    const old = acknowledged.find(({ value }) => value !== last?.value)
    expect(old, `${register} was written at least twice`).toBeDefined()
    const spoilt = history.map((one) => (one === last ? { ...one, value: old?.value ?? null } : one))
    expect(findAnomaly(spoilt), register).not.toBeNull()
  }
})

it('says nothing worse than that PostgreSQL is away', () => {
  const failures = world.observations.filter((one) => one.kind === 'request-failed')
  expect(failures.filter((one) => one.code !== 'SERVICE_UNAVAILABLE')).toEqual([])
})
