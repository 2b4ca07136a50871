import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { exportLimits } from '../../../src/base/limits.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { openObjects } from '../../../src/engine/objects/objects.ts'
import type { ExportStores } from '../../../src/jobs/exports/export-stores.ts'
import { runExport } from '../../../src/jobs/exports/run-export.ts'
import { watchAttempt } from '../../../src/jobs/exports/watch-attempt.ts'
import { writeFile } from '../../../src/jobs/exports/write-file.ts'
import { objectsOptions, readSettings } from '../../../src/serve/config.ts'
import { nextNode } from '../../../src/engine/clickhouse/next-node.ts'
import {
  beatExport,
  claimExport,
  completeExport,
  type ExportJob,
} from '../../../src/engine/postgres/exports/export-jobs.ts'
import { changeEntitlements, type EntitlementChange } from '../../../src/engine/postgres/operator/organisations.ts'
import { changeSubscription } from '../../../src/engine/postgres/operator/panels.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { pause, until } from '../../faults/attempt.ts'
import { say } from '../filters/values-world.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openExportWorld, shownOf, type ExportWorld, type Shown } from './export-world.ts'
import { parseFile } from './parse-file.ts'

/** No instance of this world writes exports. They stay queued until a test starts a writer. */
let exports: ExportWorld
const ping = { test: 'ping', date: { from: '2026-01', to: '2026-01' } }

beforeAll(async () => {
  exports = await openExportWorld(null, { BROADGAUGE_EXPORTS_MAX: '0' })
  const { world } = exports
  await organisation(world, 'lender')
  await panel(world, 'homes', 'acme', ['whitebox'])
  await panel(world, 'lent', 'lender', ['whitebox'])
  const result = { dtime: '2026-01-05 12:00:00.007', target: 'n1.example.net', rtt_avg: 12_000 }
  await storeFacts(world, 'ping', [
    { ...result, agent: 'homes-whitebox' },
    { ...result, agent: 'lent-whitebox' },
  ])
}, 60_000)
afterAll(() => exports.world.close())

const queue = async (body: object, path = '/test_data_download'): Promise<Shown> => {
  const answer = await exports.ask(path, body)
  expect(answer.status, answer.text).toBe(200)
  return shownOf(answer)
}

/** Starts an instance that writes all queued exports, and stops it when these exports have ended. */
async function written(...ids: string[]): Promise<Shown[]> {
  const writer = await exports.world.serve()
  const shown: Shown[] = []
  for (const id of ids) {
    await until(async () => ['complete', 'failed'].includes(shownOf(await exports.read(id)).status), 20_000, 50)
    shown.push(shownOf(await exports.read(id)))
  }
  await writer.stop('all is written')
  return shown
}

/**
 * An ingest time in the future. A result has such a time if it was stored before ClickHouse's clock was set back by ten
 * minutes.
 */
const inTenMinutes = (): string => new Date(Date.now() + 600_000).toISOString().replace('T', ' ').slice(0, 23)

const rowsOf = async (shown: Shown | undefined) =>
  parseFile('csv', new Uint8Array(await (await fetch(shown?.url ?? '')).arrayBuffer()))

/**
 * Writes an export with the real ClickHouse. Runs `afterWriting` when ClickHouse has written the file but the worker
 * does not know it yet. Without this function, the test would need a write that takes an hour.
 */
async function withWriter(
  postgresUrl: string,
  afterWriting: () => Promise<unknown>,
  write: (stores: ExportStores, job: ExportJob) => Promise<void>,
): Promise<void> {
  const { world } = exports
  const postgres = openPostgres({ url: postgresUrl, connectionsMax: 2, observe: () => {} })
  const objects = openObjects(objectsOptions(readSettings(world.environment)))
  const clickhouse = world.engine('EXPORT')
  const nodes = clickhouse.nodes.map(
    (node) =>
      new Proxy(node, {
        get: (target, name) =>
          name === 'exec'
            ? async (params: Parameters<typeof node.exec>[0]) => {
                const done = await target.exec(params)
                await afterWriting()
                return done
              }
            : Reflect.get(target, name, target),
      }),
  )
  const job = await claimExport(postgres, 1)
  if (job === null) throw new Error('there is no export')
  const stores = { catalog, postgres, objects, observe: () => {}, beginTrace: null, days: 7 }
  await write({ ...stores, clickhouse: { ...clickhouse, nodes } }, job)
  objects.close()
  await postgres.close()
}

const unwatched = {
  signal: new AbortController().signal,
  during: <Result>(_part: unknown, running: () => Promise<Result>) => running(),
}

describe('an export that is written later', () => {
  const lend = (subscribed: boolean) =>
    exports.world.operate((operator) =>
      changeSubscription(operator, { panel: 'lent', organisation: 'acme', subscribed }),
    )

  it('has no rows of a panel that the organisation can no longer read', async () => {
    await lend(true)
    const asked = [await queue(ping), await queue({ ...ping, panel: 'lent' })]
    const before = await exports.ask('/test_data', ping)
    expect(before.body['data']).toHaveLength(2)
    await lend(false)
    const [all, named] = await written(...asked.map(({ id }) => id))
    expect(all).toMatchObject({ status: 'complete', rows: 1 })
    expect(await rowsOf(all)).toEqual([expect.objectContaining({ agent_id: 'homes-whitebox' })])
    expect(named).toMatchObject({ status: 'failed', url: null, failure: 'The request is no longer valid: panel.' })
  })

  it('is withdrawn with the permission to read a panel whose rows it may contain', async () => {
    await lend(true)
    const { id } = await queue(ping)
    const [shown] = await written(id)
    expect(shown).toMatchObject({ status: 'complete', rows: 2 })
    await lend(false)
    expect((await exports.read(id)).status).toBe(404)
  })

  it('is withdrawn if the organisation has fewer permissions than at the request, and only then', async () => {
    const entitle = (change: EntitlementChange) =>
      exports.world.operate((operator) => changeEntitlements(operator, 'acme', change))
    await entitle({ tests: ['ping'], metrics: ['latency'] })
    const { id } = await queue(ping)
    await written(id)
    await entitle({ tests: ['ping', 'dns'], metrics: ['*'] })
    await entitle({ tests: ['*'] })
    expect(shownOf(await exports.read(id))).toMatchObject({ status: 'complete', rows: 1 })
    await entitle({ metrics: ['latency'] })
    expect((await exports.read(id)).status).toBe(404)
    await entitle({ metrics: ['*'] })
  })

  it('is not handed out if the organisation lost one of its panels while it was written', async () => {
    await lend(true)
    const { id } = await queue(ping)
    const url = exports.world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    await withWriter(
      url,
      () => lend(false),
      async (stores, job) => {
        expect(job.id).toBe(id)
        const writing = writeFile(stores, job, nextNode(stores.clickhouse), unwatched)
        await expect(writing).rejects.toThrow('can no longer be read')
      },
    )
    await exports.cancel(id)
  })

  it.each([
    ['checked for permission', 'panels', 'WITH readable'],
    ['marked complete', 'exports', `SET status = 'complete'`],
  ])(
    'is complete at the first attempt although PostgreSQL was unavailable when it was %s',
    async (_when, table, words) => {
      const { id } = await queue(ping)
      const { superuserUrl, environment } = exports.world
      const cutting: Promise<void>[] = []
      // The worker's statement waits for this table lock. Then the test terminates the connection of that statement.
      const cutOff = async () => {
        const holder = new Client({ connectionString: superuserUrl })
        await holder.connect()
        await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
        const cut = async () =>
          (
            await runSql(
              superuserUrl,
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND position($1 IN query) > 0`,
              [words],
            )
          ).length > 0
        const letGo = () => holder.end()
        cutting.push(until(cut, 20_000).then(letGo, letGo))
      }
      await withWriter(environment['BROADGAUGE_POSTGRES_URL'] ?? '', cutOff, async (stores, job) => {
        await runExport(stores, job, new AbortController().signal)
      })
      await Promise.all(cutting)
      expect(cutting).toHaveLength(1)
      expect(shownOf(await exports.read(id))).toMatchObject({ status: 'complete', rows: 1 })
      const tried = await runSql(superuserUrl, 'SELECT attempt, failures FROM exports WHERE id = $1', [id])
      expect(tried).toEqual([{ attempt: 1, failures: 0 }])
    },
  )

  it('is not abandoned while ClickHouse runs no statement for it, only if ClickHouse has lost its statement', async () => {
    const { id } = await queue(ping)
    const url = exports.world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    // Move the clock of the watcher forward instead of waiting for minutes.
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now')
    await withWriter(
      url,
      async () => {},
      async (stores, job) => {
        const watch = watchAttempt(stores, job, nextNode(stores.clickhouse), ['no such statement'])
        try {
          clock.mockImplementation(() => now() + 60_000)
          await pause(2 * exportLimits.beatMs + 1_000)
          expect(watch.signal.aborted).toBe(false)
          const lost = watch.during({ from: 0, to: 1 }, () => once(watch.signal, 'abort'))
          clock.mockImplementation(() => now() + 120_000)
          await lost
          expect(watch.signal.reason).toMatchObject({ detail: 'ClickHouse is unavailable' })
        } finally {
          await watch.close()
        }
      },
    ).finally(() => clock.mockRestore())
    expect((await exports.cancel(id)).status).toBe(200)
  })

  it('advances its progress while the file is written and while it is read back', async () => {
    const { id } = await queue(ping)
    const url = exports.world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    const progress = async () => shownOf(await exports.read(id)).progress ?? 0
    await withWriter(
      url,
      async () => {},
      async (stores, job) => {
        const [node] = exports.world.engine('ADMIN').nodes
        if (node === undefined) throw new Error('there is no engine')
        // A slow query for which ClickHouse reports progress after each row. It runs as the user of the watcher,
        // because a user sees only the progress of its own statements.
        const slow = (rows: number, queryId: string) => () =>
          node.query({
            query: `SELECT sum(sleepEachRow(0.1)) FROM numbers(${rows}) SETTINGS max_block_size = 1, max_threads = 1`,
            query_id: queryId,
          })
        const ids = [`${id}-one`, `${id}-two`]
        const watch = watchAttempt(stores, job, node, ids)
        try {
          let isWritten = false
          const writing = watch.during({ from: 0, to: 0.9 }, slow(50, ids[0] ?? '')).then(() => (isWritten = true))
          const seen: number[] = []
          // The query takes five seconds, which is one or two heartbeats.
          while (!isWritten) {
            seen.push(await progress())
            await pause(100)
          }
          expect(new Set(seen).size).toBeGreaterThan(4)
          expect(seen).toEqual(seen.toSorted((one, other) => one - other))
          expect(seen.at(-1)).toBeLessThanOrEqual(0.9)
          await writing
          const readingBack = watch.during({ from: 0.9, to: 1, rows: 30 }, slow(30, ids[1] ?? ''))
          await until(async () => (await progress()) > 0.9, 10_000, 50)
          await readingBack
        } finally {
          await watch.close()
        }
      },
    )
    expect((await exports.cancel(id)).status).toBe(200)
  })

  it('can be marked complete again by the same attempt, whose first result was lost', async () => {
    const { id } = await queue(ping)
    const url = exports.world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    await withWriter(
      url,
      async () => {},
      async ({ postgres }, job) => {
        const file = { rows: 1, bytes: 1, engineMs: 1, days: 7 }
        expect(await completeExport(postgres, job, file)).toBe(true)
        expect(await completeExport(postgres, job, file)).toBe(true)
        expect(await completeExport(postgres, { ...job, attempt: 2 }, file)).toBe(false)
      },
    )
    expect((await exports.cancel(id)).status).toBe(200)
  })

  it('has all results, also those stored before ClickHouse’s clock was set back', async () => {
    await storeFacts(exports.world, 'dns', [
      { agent: 'homes-whitebox', dtime: '2026-01-05 12:00:00.000', target: 'n1', ingested_at: inTenMinutes() },
      { agent: 'homes-whitebox', dtime: '2026-01-05 13:00:00.000', target: 'n1' },
    ])
    const { id } = await queue({ ...ping, test: 'dns' })
    const [shown] = await written(id)
    expect(shown).toMatchObject({ status: 'complete', rows: 2 })
  })

  it("has the agents' metadata of the time when it is written", async () => {
    const body = {
      metric: 'ping',
      chartType: 'raw',
      normalised: false,
      prefilter: false,
      splits: ['custom.late'],
      time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59:59' },
    }
    const tell = async (late: string) => {
      await say(exports.world, 'homes', [{ agent_id: 'homes-whitebox', from_day: '2026-01-01', custom: { late } }])
      // A query sees the metadata change after a few seconds.
      await until(async () => (await exports.ask('/metric_data', body)).text.includes(`"${late}"`), 10_000, 100)
    }
    await tell('then')
    const { id } = await queue(body, '/metric_data_download')
    await tell('now')
    const [file] = await written(id)
    expect(await rowsOf(file)).toEqual([expect.objectContaining({ 'custom.late': 'now' })])
  })
})

describe('a response about an export', () => {
  it('has the same fields while the export is queued and while it is written, then with its progress', async () => {
    const asked = await queue(ping)
    const waiting = {
      id: asked.id,
      status: 'queued',
      url: null,
      status_url: `/downloads/${asked.id}`,
      rows: null,
      bytes: null,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    }
    expect(asked).toEqual(waiting)
    expect(shownOf(await exports.read(asked.id))).toEqual(waiting)
    const url = exports.world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    const postgres = openPostgres({ url, connectionsMax: 1, observe: () => {} })
    const job = await claimExport(postgres, 1)
    if (job?.id !== asked.id) throw new Error('another export was waiting')
    // If the read-back starts again from the beginning, the progress in the response must not decrease.
    for (const [reported, shown] of [
      [0, 0],
      [0.25, 0.25],
      [0.125, 0.25],
      [1, 1],
    ] as const) {
      await beatExport(postgres, job, reported)
      expect(shownOf(await exports.read(asked.id))).toEqual({ ...waiting, status: 'running', progress: shown })
    }
    await postgres.close()
    expect((await exports.cancel(asked.id)).status).toBe(200)
  })

  it('has a newly signed link, until a week after the export was written and no longer', async () => {
    const asked = await queue(ping)
    const [shown] = await written(asked.id)
    const signedAt = async () => new URL(shownOf(await exports.read(asked.id)).url ?? '').searchParams.get('X-Amz-Date')
    const before = await signedAt()
    expect(before).toMatch(/^\d{8}T\d{6}Z$/)
    // Signatures contain the time in whole seconds, so wait for the next second.
    await pause(1_100)
    expect(await signedAt()).not.toBe(before)

    const { superuserUrl } = exports.world
    const [row] = await runSql<{ finished_at: Date }>(superuserUrl, 'SELECT finished_at FROM exports WHERE id = $1', [
      asked.id,
    ])
    expect(Date.parse(shown?.expires_at ?? '') - Number(row?.finished_at)).toBe(7 * 86_400_000)
    expect(shown?.expires_at).not.toBe(asked.expires_at)

    const expireIn = (left: string) =>
      runSql(superuserUrl, 'UPDATE exports SET expires_at = now() + $2::interval WHERE id = $1', [asked.id, left])
    await expireIn('1 minute')
    expect((await exports.read(asked.id)).status).toBe(200)
    await expireIn('0')
    for (const gone of [exports.read, exports.cancel]) expect((await gone(asked.id)).status).toBe(404)
  })
})

describe('an Idempotency-Key', () => {
  type Headers = Record<string, string>
  const ask = (headers: Headers) => exports.ask('/test_data_download', ping, headers)

  it('belongs to one organisation', async () => {
    const lender = await token(exports.world, 'lender')
    const headers = { 'idempotency-key': randomUUID() }
    const theirHeaders = { ...headers, authorization: lender }
    const ours = shownOf(await ask(headers)).id
    const theirs = shownOf(await ask(theirHeaders)).id
    expect(theirs).not.toBe(ours)
    expect((await exports.read(theirs)).status).toBe(404)
    expect(shownOf(await ask(headers)).id).toBe(ours)
    expect(shownOf(await ask(theirHeaders)).id).toBe(theirs)
    await exports.cancel(ours)
    await exports.cancel(theirs, lender)
  })

  it('is one namespace for exports and for PUT /metadata', async () => {
    const writer = await token(exports.world, 'acme', ['metadata:write'])
    const put = (headers: Headers) =>
      call(`${exports.service.addresses.api}/metadata`, {
        method: 'PUT',
        token: `Bearer ${writer}`,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ agent: { agent_id: 'homes-whitebox' }, metadata: { custom: { tag: 'x' } } }),
      })
    for (const [first, second] of [
      [ask, put],
      [put, ask],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() }
      expect((await first(headers)).status).toBe(200)
      const refused = await second(headers)
      expect([refused.status, refused.body['errors']]).toEqual([
        422,
        { 'Idempotency-Key': ['This key was used with another request.'] },
      ])
      expect((await first(headers)).status).toBe(200)
    }
    // Remove the export, so that the workers of other tests do not claim it.
    await runSql(exports.world.superuserUrl, `DELETE FROM exports WHERE status = 'queued'`)
  })
})

describe('DELETE', () => {
  const remove = async (body: { body?: string }) => {
    const { id } = await queue(ping)
    const answer = await call(`${exports.service.addresses.api}/downloads/${id}`, {
      method: 'DELETE',
      token: exports.token,
      headers: { 'content-type': 'application/json' },
      ...body,
    })
    return { answer, left: (await exports.read(id)).status }
  }

  it.each([{}, { body: '' }])('treats an empty body as none, also with a content type: %j', async (nothing) => {
    const { answer, left } = await remove(nothing)
    expect([answer.status, answer.body, left]).toEqual([200, { code: 'OK', message: 'Request successful' }, 404])
  })

  it('removes nothing if its body is not JSON', async () => {
    const { answer, left } = await remove({ body: '{' })
    const errors = { body: ['This value should be valid JSON.'] }
    expect([answer.status, answer.body['errors'], left]).toEqual([422, errors, 200])
  })
})
