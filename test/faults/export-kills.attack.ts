import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { killComponent, stackDown, stackUp, startComponent, type Stack } from '../../devstack/index.ts'
import { exportLimits } from '../../src/base/limits.ts'
import { findExportObjects } from '../../src/engine/objects/export-objects.ts'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { sweepExports } from '../../src/jobs/exports/sweep-exports.ts'
import type { Service } from '../../src/serve/wiring/service.ts'
import { shownOf, type Shown } from '../features/exports/export-world.ts'
import { withBucket } from '../kit/bucket.ts'
import { reloadAgents } from '../kit/facts.ts'
import { agent, asLines, organisation, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'
import { attempt, pause, until } from './attempt.ts'
import { newSeed, rollDice } from './dice.ts'

const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const kills = isDeep ? 30 : 4
/** The number of rows in a file: about 200 MB of CSV in the deep run, and 60 MB otherwise. */
const rows = isDeep ? 1_000_000 : 300_000
const callers = 2
/** The maximum time for an export. Each kill costs an attempt, and an attempt takes longer for a larger file. */
const endedMsMax = isDeep ? 900_000 : 300_000
const dice = rollDice(newSeed())
/** Separate stores, because the test kills them. */
const name = `exports-${randomBytes(3).toString('hex')}`
let stack: Stack
let world: World
let service: Service
let own: string
let worker: ChildProcess

beforeAll(async () => {
  stack = await stackUp({ name })
  world = await openWorld({ stack })
  await organisation(world, 'acme')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'homes', owner: 'acme' })
    await importAgents(operator, 'homes', asLines([{ line: 2, row: agent({ agent_id: 'a-1' }) }]), () => {})
  })
  await reloadAgents(world)
  const [node] = world.engine('ADMIN').nodes
  await node?.command({
    query: `INSERT INTO ${world.name}.httpget (panel, agent, dtime, target, address, fetch_time, bytes_total, bytes_sec,
        bytes_sec_interval, warmup_time, warmup_bytes, sequence, threads, tcp_retransmissions, successes, ip_version, target_group)
      SELECT 1, 1, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(number), 'n1-the1.example.net', '10.0.0.7',
        10000000 + rand(1) % 100000, rand(2), rand(3), rand(4), 3000000, rand(5), 5, 3, rand(6) % 200, 1, 4, 'off-net'
      FROM numbers(${rows})`,
  })
  own = await token(world, 'acme')
  // This instance accepts exports but writes none. The worker that writes the exports is a separate process.
  service = await world.serve({ BROADGAUGE_EXPORTS_MAX: '0' })
  worker = startWorker()
}, 120_000)
afterAll(async () => {
  try {
    await endWorker('SIGTERM')
    await world.close()
  } finally {
    await stackDown({ name, wipe: true })
  }
}, 60_000)

function startWorker(): ChildProcess {
  const child = spawn(process.execPath, ['src/serve/main.ts', 'worker'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ...world.environment,
      BROADGAUGE_LOG_LEVEL: 'warn',
      BROADGAUGE_DRAIN_SECONDS: '0',
    },
    stdio: 'pipe',
  })
  for (const stream of [child.stdout, child.stderr]) stream.resume()
  return child
}

async function endWorker(signal: NodeJS.Signals): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  const gone = once(worker, 'exit')
  worker.kill(signal)
  await gone
}

const victims = {
  worker: {
    kill: () => endWorker('SIGKILL'),
    start: async () => void (worker = startWorker()),
  },
  engine: {
    kill: () => killComponent(stack, 'clickhouse-1'),
    start: () => startComponent(stack, 'clickhouse-1'),
  },
  storage: {
    kill: () => killComponent(stack, 'objects'),
    start: () => startComponent(stack, 'objects'),
  },
}

const body = JSON.stringify({ test: 'httpget', date: { from: '2026', to: '2026' } })

/**
 * Requests an export, and repeats the request until the service accepts it. The service needs PostgreSQL for that, the
 * only store that the test does not kill.
 */
async function ask(): Promise<Shown> {
  for (;;) {
    const answer = await attempt(`${service.addresses.api}/test_data_download`, {
      method: 'POST',
      token: own,
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect([200, 503, undefined], answer?.text).toContain(answer?.status)
    if (answer?.status === 200) return shownOf(answer)
    await pause(200)
  }
}

async function read(id: string): Promise<Shown> {
  const answer = await attempt(`${service.addresses.api}/downloads/${id}`, { token: own })
  expect(answer?.status, answer?.text).toBe(200)
  return shownOf(answer as NonNullable<typeof answer>)
}

/** Waits until the export is complete or has failed. The service must end every export, whatever the test kills. */
async function ended(id: string): Promise<Shown> {
  await until(async () => ['complete', 'failed'].includes((await read(id)).status), endedMsMax, 100)
  return read(id)
}

/** True if a live worker is writing an export, which means that the worker has just renewed the lease. */
async function isAnyBeingWritten(): Promise<boolean> {
  const renewed = `${exportLimits.leaseMs - exportLimits.beatMs - 500} milliseconds`
  const found = await runSql(
    world.superuserUrl,
    `SELECT id FROM exports WHERE status = 'running' AND leased_until > now() + $1::interval`,
    [renewed],
  )
  return found.length > 0
}

async function digest(url: string): Promise<string> {
  const hash = createHash('sha256')
  const response = await fetch(url)
  expect(response.status).toBe(200)
  for await (const chunk of response.body ?? []) hash.update(chunk)
  return hash.digest('hex')
}

it(
  `hands out only complete files when worker, ClickHouse and storage are killed ${kills} times`,
  { timeout: 3_600_000 },
  async () => {
    const whole = await ended((await ask()).id)
    expect(whole).toMatchObject({ status: 'complete', rows })
    const wanted = await digest(whole.url ?? '')
    const names = Object.keys(victims) as (keyof typeof victims)[]
    let killed = 0
    const finished: Shown[] = []

    const killing = async () => {
      for (; killed < kills; killed += 1) {
        const victim = victims[names[killed % names.length] ?? 'worker']
        await until(isAnyBeingWritten, 120_000, 20)
        await pause(dice.between(0, isDeep ? 4_000 : 1_500))
        await victim.kill()
        await pause(dice.between(0, 2_000))
        await victim.start()
      }
    }
    const calling = async () => {
      while (killed < kills) {
        const { id } = await ask()
        finished.push(await ended(id))
      }
    }
    await Promise.all([killing(), ...Array.from({ length: callers }, calling)])

    const seed = `seed ${dice.seed}`
    const afterwards = await ended((await ask()).id)
    expect(afterwards.status, seed).toBe('complete')
    finished.push(afterwards)
    const complete = finished.filter(({ status }) => status === 'complete')
    for (const { id } of complete) {
      const { url, rows: written, bytes } = await read(id)
      expect([written, bytes, await digest(url ?? '')], seed).toEqual([rows, whole.bytes, wanted])
    }
    const postgres = openPostgres({
      url: world.environment['BROADGAUGE_POSTGRES_URL'] ?? '',
      connectionsMax: 1,
      observe: () => {},
    })
    const left = await withBucket(world.environment, async (objects) => {
      await sweepExports({ postgres, objects })
      return findExportObjects(objects)
    })
    await postgres.close()
    expect(
      left.filter(({ uploadId }) => uploadId !== undefined),
      seed,
    ).toEqual([])
    expect(left.map(({ id }) => id).toSorted(), seed).toEqual([...complete, whole].map(({ id }) => id).toSorted())
    const attempts = await runSql<{ tries: number }>(
      world.superuserUrl,
      'SELECT coalesce(sum(attempt), 0)::integer AS tries FROM exports',
    )
    console.log(
      `${kills} kills over ${Math.round((whole.bytes ?? 0) / 1e6)} MB exports: ${finished.length} asked for, ` +
        `${complete.length} complete and whole, ${finished.length - complete.length} failed by themselves, ` +
        `${attempts[0]?.tries} attempts in all, nothing left behind; ${seed}`,
    )
    expect(attempts[0]?.tries).toBeGreaterThan(finished.length + 1)
  },
)

it('fails an export whose storage hangs, and writes the next one when it is back', { timeout: 180_000 }, async () => {
  // Set the number of failures of new exports so that the next failure is final.
  await runSql(world.superuserUrl, `ALTER TABLE exports ALTER failures SET DEFAULT ${exportLimits.failuresMax - 1}`)
  await killComponent(stack, 'objects', 'SIGSTOP')
  const startedAt = performance.now()
  try {
    const failed = await ended((await ask()).id)
    expect(failed).toMatchObject({ status: 'failed', url: null, failure: expect.stringContaining('Request it again') })
    expect(performance.now() - startedAt).toBeLessThan(60_000)
  } finally {
    await killComponent(stack, 'objects', 'SIGCONT')
  }
  await runSql(world.superuserUrl, 'ALTER TABLE exports ALTER failures SET DEFAULT 0')
  expect(await ended((await ask()).id)).toMatchObject({ status: 'complete', rows })
})
