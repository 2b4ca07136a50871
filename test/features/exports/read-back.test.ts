import { gzipSync } from 'node:zlib'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { findExportObjects } from '../../../src/engine/objects/export-objects.ts'
import type { Observation } from '../../../src/base/observe.ts'
import type { ExportJob } from '../../../src/engine/postgres/exports/export-jobs.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { runExport } from '../../../src/jobs/exports/run-export.ts'
import { readSettings } from '../../../src/serve/config.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { startWorker } from '../../../src/serve/wiring/worker.ts'
import { until } from '../../faults/attempt.ts'
import { withBucket } from '../../kit/bucket.ts'
import { call } from '../../kit/call.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openStreamWorld, type StreamWorld } from '../test-data/stream-world.ts'
import { shownOf, type Shown } from './export-world.ts'

/** Enough for writing and reading back to take a while. */
const rows = 400_000
let stream: StreamWorld
let service: Service

beforeAll(async () => {
  stream = await openStreamWorld(rows)
  service = await stream.world.serve()
}, 60_000)
afterAll(() => stream.world.close())

const ask = async (): Promise<Shown> =>
  shownOf(
    await call(`${service.addresses.api}/test_data_download`, {
      method: 'POST',
      token: stream.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...(stream.body as object), format: 'csv.gz' }),
    }),
  )

const read = (id: string) => call(`${service.addresses.api}/downloads/${id}`, { token: stream.token })

/** How far a file has come, as often as it was asked: from 0 to 1, and never back. */
function expectRising(seen: readonly unknown[]): void {
  expect(seen.length).toBeGreaterThan(0)
  let before = 0
  for (const progress of seen) {
    expect(progress).toBeGreaterThanOrEqual(before)
    expect(progress).toBeLessThanOrEqual(1)
    before = Number(progress)
  }
}

/** Puts another object in the place of the file as soon as it is there. */
async function replaceFile(id: string): Promise<void> {
  await withBucket(stream.world.environment, async (objects) => {
    let key: string | undefined
    await until(
      async () => {
        key = (await findExportObjects(objects, id)).find(({ uploadId }) => uploadId === undefined)?.key
        return key !== undefined
      },
      60_000,
      1,
    )
    const Body = gzipSync('"base"\r\n"model"\r\n')
    await objects.client.send(new PutObjectCommand({ Bucket: objects.bucket, Key: key, Body }))
  })
}

const failuresOf = (id: string) =>
  stream.world.observations.filter((one) => one.kind === 'export-failed' && one.exportId === id)

it('gives out no file that is not what was written', { timeout: 240_000 }, async () => {
  let shown: Shown
  let tries = 0
  do {
    shown = await ask()
    const { id } = shown
    await replaceFile(id)
    await until(async () => shownOf(await read(id)).status === 'complete', 60_000, 100)
    shown = shownOf(await read(id))
    tries += 1
    // On a busy machine the file may have been read back and given out before it was replaced.
  } while (failuresOf(shown.id).length === 0 && tries < 5)
  expect(shown).toMatchObject({ rows, url: expect.stringContaining('/2.csv.gz?') })
  const { headers } = await fetch(shown.url ?? '', { headers: { range: 'bytes=0-0' } })
  expect(headers.get('content-range')).toBe(`bytes 0-0/${shown.bytes}`)
  expect(failuresOf(shown.id)).toEqual([expect.objectContaining({ attempt: 1, error: expect.any(Error) })])
})

it('stops writing what nobody wants any more', { timeout: 60_000 }, async () => {
  const { id } = await ask()
  await until(async () => shownOf(await read(id)).status === 'running', 10_000, 5)
  expect(
    (await call(`${service.addresses.api}/downloads/${id}`, { method: 'DELETE', token: stream.token })).status,
  ).toBe(200)
  expect((await read(id)).status).toBe(404)
  const [node] = stream.world.engine('ADMIN').nodes
  await until(
    async () => {
      const running = await node?.query({
        query: `SELECT query_id FROM system.processes WHERE startsWith(query_id, {id:String})`,
        query_params: { id },
        format: 'JSONEachRow',
      })
      return ((await running?.json())?.length ?? 0) === 0
    },
    20_000,
    100,
  )
  await until(
    () => withBucket(stream.world.environment, async (objects) => (await findExportObjects(objects, id)).length === 0),
    20_000,
    100,
  )
})

it('leaves alone what another has written who took it over', { timeout: 60_000 }, async () => {
  const { world } = stream
  // Written by a second attempt, as far as anybody knows; the first one wakes up when all is over.
  await runSql(world.superuserUrl, 'ALTER TABLE exports ALTER attempt SET DEFAULT 1')
  const { id } = await ask()
  await runSql(world.superuserUrl, 'ALTER TABLE exports ALTER attempt SET DEFAULT 0')
  const seen: unknown[] = []
  await until(
    async () => {
      const { status, progress } = shownOf(await read(id))
      if (status === 'running') seen.push(progress)
      return status === 'complete'
    },
    30_000,
    20,
  )
  expectRising(seen)
  const postgres = openPostgres({
    url: world.environment['BROADGAUGE_POSTGRES_URL'] ?? '',
    connectionsMax: 4,
    observe: () => {},
  })
  const now = Temporal.Now.instant()
  const late: ExportJob = {
    id,
    organisationId: 1,
    attempt: 1,
    failures: 0,
    source: 'test_data',
    format: 'csv.gz',
    request: stream.body,
    requestId: 'late',
    auditKey: null,
    traceparent: null,
    createdAt: now,
    storedBefore: now,
  }
  await withBucket(world.environment, async (objects) => {
    const stores = {
      catalog,
      postgres,
      clickhouse: world.engine('EXPORT'),
      objects,
      observe: () => {},
      beginTrace: null,
      days: 1,
    }
    await runExport(stores, late, new AbortController().signal)
    const left = await findExportObjects(objects, id)
    expect(left.map(({ attempt, uploadId }) => [attempt, uploadId])).toEqual([[2, undefined]])
  })
  await postgres.close()
  const shown = shownOf(await read(id))
  expect(shown).toMatchObject({ status: 'complete', rows })
  expect((await fetch(shown.url ?? '', { headers: { range: 'bytes=0-0' } })).status).toBe(206)
})

it('gives what it writes to another when it is told to stop', { timeout: 60_000 }, async () => {
  const { world } = stream
  await service.stop('others write')
  service = await world.serve({ BROADGAUGE_EXPORTS_MAX: '0' })
  const observe = (one: Observation) => void world.observations.push(one)
  const settings = readSettings({ ...world.environment, BROADGAUGE_DRAIN_SECONDS: '0' })
  const first = await startWorker(settings, observe)
  const { id } = await ask()
  await until(async () => shownOf(await read(id)).status === 'running', 10_000, 5)
  const startedAt = performance.now()
  await first.stop('its turn is over')
  const second = await startWorker(settings, observe)
  await until(async () => shownOf(await read(id)).status === 'complete', 40_000, 50)
  // Sooner than a lease takes to end, and it was nobody's fault.
  expect(performance.now() - startedAt).toBeLessThan(25_000)
  const told = await runSql(world.superuserUrl, 'SELECT attempt, failures FROM exports WHERE id = $1', [id])
  expect(told).toEqual([{ attempt: 2, failures: 0 }])
  await second.stop('the test is over')
})
