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

/** So many rows that writing and reading back take a noticeable time. */
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

/**
 * Checks the progress of an export: the values rise from 0 to 1 and never decrease. `seen` has one value per request.
 */
function expectRising(seen: readonly unknown[]): void {
  expect(seen.length).toBeGreaterThan(0)
  let before = 0
  for (const progress of seen) {
    expect(progress).toBeGreaterThanOrEqual(before)
    expect(progress).toBeLessThanOrEqual(1)
    before = Number(progress)
  }
}

/** Replaces the file by another object as soon as the file exists. */
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

it('hands out no file that differs from what was written', { timeout: 240_000 }, async () => {
  let shown: Shown
  let tries = 0
  do {
    shown = await ask()
    const { id } = shown
    await replaceFile(id)
    await until(async () => shownOf(await read(id)).status === 'complete', 60_000, 100)
    shown = shownOf(await read(id))
    tries += 1
    // On a busy machine, the service may have read the file back before the test replaced the file. Then the test tries
    // again.
  } while (failuresOf(shown.id).length === 0 && tries < 5)
  expect(shown).toMatchObject({ rows, url: expect.stringContaining('/2.csv.gz?') })
  const { headers } = await fetch(shown.url ?? '', { headers: { range: 'bytes=0-0' } })
  expect(headers.get('content-range')).toBe(`bytes 0-0/${shown.bytes}`)
  expect(failuresOf(shown.id)).toEqual([expect.objectContaining({ attempt: 1, error: expect.any(Error) })])
})

it('stops writing a cancelled export', { timeout: 60_000 }, async () => {
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

it('does not remove the file of the worker that took over', { timeout: 60_000 }, async () => {
  const { world } = stream
  // With this default, the worker writes the export as attempt 2. Then the test runs attempt 1, which continues after
  // attempt 2 has completed.
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

it('hands its export to another worker when it is stopped', { timeout: 60_000 }, async () => {
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
  // The second worker did not wait until the lease of the first worker expired. The stopped attempt does not count as a
  // failure.
  expect(performance.now() - startedAt).toBeLessThan(25_000)
  const attempts = await runSql(world.superuserUrl, 'SELECT attempt, failures FROM exports WHERE id = $1', [id])
  expect(attempts).toEqual([{ attempt: 2, failures: 0 }])
  await second.stop('the test is over')
})
