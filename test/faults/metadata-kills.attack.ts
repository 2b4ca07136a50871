import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killComponent, stackDown, stackUp, startComponent, type Stack } from '../../devstack/index.ts'
import { call } from '../kit/call.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'
import { pause, until } from './attempt.ts'
import { childService, type ChildService } from './child-service.ts'
import { newSeed, rollDice, type Dice } from './dice.ts'
import { metadataPanel, type MetadataPanel } from './metadata-panel.ts'
import { putOnce, putUntilAnswered, type AnsweredPut } from './put-until-answered.ts'
import { findTimelineFaults } from './timeline-faults.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const kills = deep ? 100 : 10
const clientsCount = 6
const bulkAgents = 10_000
const timeout = deep ? 1_800_000 : 300_000

const dice = rollDice(newSeed())
/** Separate stores, because the test kills them. */
const name = `kills-${randomBytes(3).toString('hex')}`
let stack: Stack
let world: World
let service: ChildService
let panel: MetadataPanel
let bulk: MetadataPanel

beforeAll(async () => {
  stack = await stackUp({ name })
  world = await openWorld({ stack })
  panel = await metadataPanel(world, 'acme', 1, 20)
  bulk = await metadataPanel(world, 'bulk', 100_001, bulkAgents)
  await giveCohort()
  service = await childService(world.environment)
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

/**
 * Sets the first metadata of many agents directly in PostgreSQL. With the API, agents without metadata can only be
 * selected one by one.
 */
async function giveCohort(): Promise<void> {
  const client = new Client({ connectionString: world.superuserUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query(
    `SELECT set_config('broadgauge.organisation', id::text, true) FROM organisations WHERE key = 'bulk'`,
  )
  await client.query(
    `SELECT change_metadata(
       ARRAY(SELECT a.id FROM agents a JOIN panels p ON p.id = a.panel_id WHERE p.key = 'bulk' ORDER BY a.id), NULL, 'seed',
       '{"metadata": {"custom": {"cohort": "all"}}}', '1970-01-02', false, NULL, NULL, false, NULL::smallint,
       '{"cohort": "all"}', '{}', false)`,
  )
  await client.query('COMMIT')
  await client.end()
}

const killService = async () => {
  await service.kill()
  await service.start()
}
const killPostgres = async () => {
  await killComponent(stack, 'postgres')
  await startComponent(stack, 'postgres')
}

type MarkedPut = AnsweredPut & { mark: string; unit: number }

/** Sends one change after another as one client, and repeats each change until there is a response. */
async function streamOfPuts(
  prefix: string,
  clientDice: Dice,
  goesOn: () => boolean,
  onAnswer: () => void,
): Promise<MarkedPut[]> {
  const puts: MarkedPut[] = []
  while (goesOn()) {
    const mark = `${prefix}-${puts.length}`
    const unit = clientDice.pick(panel.units)
    const body = { agent: { unit_id: unit }, metadata: { custom: { mark } } }
    const url = `${service.address}/metadata`
    puts.push({ mark, unit, ...(await putUntilAnswered({ url, token: panel.token, key: mark, body })) })
    onAnswer()
  }
  return puts
}

async function streamUnderKills(prefix: string, kill: () => Promise<void>): Promise<MarkedPut[]> {
  let killed = 0
  let answers = 0
  const clients = Array.from({ length: clientsCount }, (_, client) =>
    streamOfPuts(
      `${prefix}-${dice.seed}-${client}`,
      dice.fork(client),
      () => killed < kills,
      () => (answers += 1),
    ),
  )
  const killing = async () => {
    for (; killed < kills; killed += 1) {
      // Wait for a number of responses between two kills, not for a time. On a slow machine, no change would succeed
      // between two kills that are a second apart.
      const enough = answers + dice.between(10, 60)
      await until(async () => answers >= enough, 60_000, 2)
      await pause(dice.between(0, 10))
      await kill()
    }
  }
  const [puts] = await Promise.all([Promise.all(clients), killing()])
  return puts.flat()
}

type ChangeEvent = { mark: string; request_id: string; agents: number[] }

const changeEvents = (field: 'mark' | 'wave', prefix: string): Promise<ChangeEvent[]> =>
  runSql<ChangeEvent>(
    world.superuserUrl,
    `SELECT request #>> $1 AS mark, request_id, agents FROM metadata_events
     WHERE kind = 'change' AND starts_with(request #>> $1, $2) ORDER BY id`,
    [`{metadata,custom,${field}}`, prefix],
  )

async function readMark(unit: number): Promise<unknown> {
  const answer = await call(`${service.address}/metadata/unit/${unit}`, { token: panel.token })
  return (answer.body['data'] as { custom: { mark?: string } }).custom.mark
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/**
 * Checks that every acknowledged change is stored exactly once, that nothing is stored that no client requested, and
 * that the timelines match the events.
 */
async function expectOnceEach(what: string, prefix: string, puts: readonly MarkedPut[]): Promise<void> {
  const events = Map.groupBy(await changeEvents('mark', prefix), ({ mark }) => mark)
  const lost = puts.filter(({ mark }) => !events.has(mark))
  const twice = puts.filter(({ mark }) => (events.get(mark)?.length ?? 0) > 1)
  const unanswered = sum(puts.map((put) => put.unanswered))
  // The changes that were made by an earlier attempt than the one that got the response.
  const earlier = puts.filter(
    ({ mark, requestId }) => events.has(mark) && events.get(mark)?.[0]?.request_id !== requestId,
  )
  console.log(
    `${what} killed ${kills} times: seed ${dice.seed}, ${puts.length} changes by ${clientsCount} clients, ` +
      `${unanswered} attempts without an answer (${earlier.length} had taken effect), ` +
      `${sum(puts.map((put) => put.conflicts))} still running, ${lost.length} lost, ${twice.length} applied twice`,
  )
  expect(puts.filter(({ status }) => status !== 200)).toEqual([])
  expect(lost).toEqual([])
  expect(twice).toEqual([])
  expect(events.size).toBe(puts.length)
  expect(unanswered).toBeGreaterThan(0)
  expect(await findTimelineFaults(world.superuserUrl)).toEqual([])
  for (const unit of panel.units) {
    const marks = new Set(puts.filter((put) => put.unit === unit).map(({ mark }) => mark))
    const newest = [...events.keys()].findLast((mark) => marks.has(mark))
    if (newest !== undefined) expect(await readMark(unit)).toBe(newest)
  }
}

describe('a stream of changes with keys, sent again until answered', () => {
  it('loses none and applies none twice while the service is killed', { timeout }, async () => {
    await expectOnceEach('the service', 'service', await streamUnderKills('service', killService))
  })

  it('loses none and applies none twice while PostgreSQL is killed', { timeout }, async () => {
    const puts = await streamUnderKills('postgres', killPostgres)
    expect(service.isRunning()).toBe(true)
    await expectOnceEach('PostgreSQL', 'postgres', puts)
  })
})

const bulkPut = (wave: string) => ({
  url: `${service.address}/metadata`,
  token: bulk.token,
  key: wave,
  body: { agent: { custom: { cohort: 'all' } }, metadata: { custom: { wave } } },
})

async function agentsWith(wave: string): Promise<number> {
  const text = `SELECT count(*)::integer AS agents FROM current_metadata WHERE custom ->> 'wave' = $1`
  return (await runSql<{ agents: number }>(world.superuserUrl, text, [wave]))[0]?.agents ?? -1
}

async function undisturbedMs(wave: string): Promise<number> {
  const startedAt = performance.now()
  expect((await putUntilAnswered(bulkPut(wave))).status).toBe(200)
  return Math.ceil(performance.now() - startedAt)
}

it('a change of 10,000 agents is stored completely or not at all, and once when sent again', { timeout }, async () => {
  // Make the change twice and measure the second one. The first change of a service is slow, but the kills below
  // interrupt fast changes.
  await undisturbedMs(`wave-${dice.seed}-first`)
  const quietMs = await undisturbedMs(`wave-${dice.seed}-second`)
  const before: number[] = []
  const counts = { answered: 0, conflicts: 0 }
  for (let round = 0; round < kills; round += 1) {
    const wave = `wave-${dice.seed}-${round}`
    const first = putOnce(bulkPut(wave), `${wave}.0`)
    // The pause can be a little longer than the change takes, so that some kills hit the commit or the response.
    await pause(dice.between(1, Math.ceil(quietMs * 1.2)))
    await (round % 2 === 0 ? killService() : killPostgres())
    const answered = (await first)?.status === 200
    const changed = await agentsWith(wave)
    before.push(changed)
    expect(answered ? [bulkAgents] : [0, bulkAgents], `${wave} before it is sent again`).toContain(changed)
    const again = await putUntilAnswered(bulkPut(wave))
    counts.answered += answered ? 1 : 0
    counts.conflicts += again.conflicts
    expect([again.status, await agentsWith(wave)]).toEqual([200, bulkAgents])
    const events = await changeEvents('wave', wave)
    expect(events.map(({ agents }) => agents.length)).toEqual([bulkAgents])
  }
  const whole = before.filter((agents) => agents === bulkAgents).length
  console.log(
    `${bulkAgents} agents in one change (${quietMs} ms undisturbed), killed ${kills} times: seed ${dice.seed}, ` +
      `${whole} times whole (${counts.answered} answered), ${kills - whole} times not at all, ` +
      `${counts.conflicts} still running; sent again: whole each time, one event each`,
  )
  expect(await findTimelineFaults(world.superuserUrl)).toEqual([])
})
