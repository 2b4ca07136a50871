import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { killComponent, stackDown, stackUp, startComponent, type Stack } from '../../devstack/index.ts'
import { importPackages } from '../../src/engine/postgres/operator/import-packages.ts'
import type { Answer } from '../kit/call.ts'
import { asLines } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'
import { noLimits } from './attacks/no-limits.ts'
import { sized } from './attacks/tally.ts'
import { unhandled } from './attacks/zeros.ts'
import { agentRegisters, type AgentRegisters, type AgentState } from './agent-registers.ts'
import { attempt, pause, until } from './attempt.ts'
import { childService, type ChildService } from './child-service.ts'
import { newSeed, rollDice, type Dice } from './dice.ts'
import { findAnomaly, type Operation } from './linearizability.ts'
import { metadataPanel, type MetadataPanel } from './metadata-panel.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const clientsCount = 16
const agentsCount = 20
const roundOperations = 1_000
const rounds = Math.ceil(sized(10_000, 400_000) / roundOperations)
/**
 * After this many rounds the test continues with other agents. With a longer history, requests for an agent and the
 * check of the agent take longer.
 */
const roundsOfAgents = 20
const groupsCount = Math.ceil(rounds / roundsOfAgents)
/**
 * The number of packages. Half of the writes set a package, and no agent gets the same package twice. There are more
 * packages than any agent needs. Otherwise few writes at the end could set a package.
 */
const packagesCount = Math.ceil(((Math.min(rounds, roundsOfAgents) * roundOperations) / agentsCount) * 0.35)

const dice = rollDice(newSeed())
/** Separate stores, because the test kills them. */
const name = `linear-${randomBytes(3).toString('hex')}`
let stack: Stack
let world: World
let service: ChildService
let panel: MetadataPanel
let groups: AgentRegisters[][]

beforeAll(async () => {
  stack = await stackUp({ name })
  world = await openWorld({ stack })
  panel = await metadataPanel(world, 'acme', 1, agentsCount * groupsCount)
  const packages = Array.from({ length: packagesCount }, (_, index) => `Fibre ${index}`)
  const rows = packages.map((one, index) => ({
    line: index + 2,
    row: { isp: 'Northern', package: one, download_bits_sec: null, upload_bits_sec: null },
  }))
  await world.operate((operator) => importPackages(operator, asLines(rows), () => {}))
  const packageNames = packages.map((one) => `Northern:${one}`)
  const agents = panel.units.map((unit) => agentRegisters(unit, unit % 2 === 0, packageNames))
  groups = Array.from({ length: groupsCount }, (_, group) =>
    agents.slice(group * agentsCount, (group + 1) * agentsCount),
  )
  // The service runs in a separate process. In the test process it would get only the CPU time that the callers and the
  // checker leave. The pool is larger than the default, for more concurrent changes.
  service = await childService({ ...world.environment, ...noLimits, BROADGAUGE_POSTGRES_POOL_MAX: '60' })
  await service.start()
}, 120_000)
afterAll(async () => {
  try {
    await service.stop()
    await world.close()
  } finally {
    await stackDown({ name, wipe: true })
  }
}, 60_000)

const counts = { operations: 0, writes: 0, ambiguousWrites: 0, failedReads: 0, kills: 0 }
/** Responses whose status is neither 200 nor 503. */
const unexpected: string[] = []

/** True if the status is 200. If a store is unavailable, the only permitted status is 503. */
function isAnswered(answer: Answer | null): answer is Answer {
  if (answer !== null && answer.status !== 200 && answer.status !== 503) unexpected.push(answer.text)
  return answer?.status === 200
}

async function write(agent: AgentRegisters, clientDice: Dice): Promise<boolean> {
  const next = agent.nextWrite(clientDice)
  const startedAt = performance.now()
  const answer = await attempt(`${service.address}/metadata`, {
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
  const answer = await attempt(`${service.address}/metadata/unit/${agent.unit}`, { token: panel.token })
  const answered = isAnswered(answer)
  if (answered) agent.noteRead(answer.body['data'] as AgentState, startedAt, performance.now())
  counts.failedReads += answered ? 0 : 1
  return answered
}

/** Runs one operation after another as one client, until the round has no operation left. */
async function runClient(agents: readonly AgentRegisters[], clientDice: Dice, take: () => boolean): Promise<void> {
  while (take()) {
    counts.operations += 1
    // A read without a response proves nothing, so the client repeats the read and does not count it.
    while (!(await isDone(clientDice.pick(agents), clientDice)));
  }
}

async function isDone(agent: AgentRegisters, clientDice: Dice): Promise<boolean> {
  const isRead = clientDice.between(0, 1) === 0
  const answered = await (isRead ? read(agent) : write(agent, clientDice))
  // Without this pause, the clients would use up all operations of a round while the store is unavailable.
  if (!answered) await pause(100)
  return answered || !isRead
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
  const agents = groups[Math.floor(number / roundsOfAgents)] ?? []
  const clients = Array.from({ length: clientsCount }, (_, index) =>
    runClient(agents, dice.fork(number * clientsCount + index), take),
  )
  if (withKill) {
    await killNow.promise
    await killComponent(stack, 'postgres')
    counts.kills += 1
    await startComponent(stack, 'postgres')
  }
  await Promise.all(clients)
  // Read the final state of a round when no operation runs any more. Otherwise the check would not notice a change that
  // was lost at the end.
  await Promise.all(agents.map((agent) => until(() => read(agent), 10_000)))
}

const allHistories = (): [string, readonly Operation[]][] =>
  groups
    .flat()
    .flatMap(({ unit, histories }) =>
      [...histories].map(([register, history]): [string, readonly Operation[]] => [`${unit} ${register}`, history]),
    )

it(
  'every agent is a register: reads see the newest acknowledged change, also while PostgreSQL is killed',
  { timeout: deep ? 21_600_000 : 300_000 },
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
    expect(counts.ambiguousWrites).toBeGreaterThanOrEqual(counts.kills)
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

it('would detect it: the same histories with one old value at the end are refused', () => {
  for (const [register, history] of allHistories()) {
    const acknowledged = history.filter(({ kind, endedAt }) => kind === 'write' && endedAt < Infinity)
    const last = history.findLast(({ kind }) => kind === 'read')
    const old = acknowledged.find(({ value }) => value !== last?.value)
    expect(old, `${register} was written at least twice`).toBeDefined()
    const spoilt = history.map((one) => (one === last ? { ...one, value: old?.value ?? null } : one))
    expect(findAnomaly(spoilt), register).not.toBeNull()
  }
})

it('reports nothing worse than that PostgreSQL is unavailable', () => {
  expect(service.endedItself()).toBe(0)
  const lines = service.said().split('\n')
  expect(lines.filter((line) => line.includes('UNKNOWN_ERROR') || unhandled.test(line))).toEqual([])
})
