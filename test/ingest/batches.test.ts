import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../src/base/limits.ts'
import { batchHash } from '../../src/ingest/batch/write-batch.ts'
import { runSql } from '../kit/run-sql.ts'
import { runningMs } from '../kit/running-time.ts'
import { ndjson, openIngestWorld, ping, reportOf, type IngestWorld, type Row } from './ingest-world.ts'
import { sendAndHangUp } from './send-and-hang-up.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld()
})
afterAll(() => ingest.world.close())

let number = 0
const timeOf = (index: number) => new Date(Date.UTC(2026, 0, 31, 23, 59, 50) + index * 1000).toISOString()
/**
 * A batch with its own target in all rows. The test distinguishes these rows from rows of other tests by the target.
 */
function batchOf(rows: number, more: (index: number) => Row = () => ({})): { target: string; body: string } {
  const target = `batch-${(number += 1)}`
  const all = Array.from({ length: rows }, (_, index) => ping({ target, dtime: timeOf(index), ...more(index) }))
  return { target, body: ndjson(all) }
}

const storedOf = async (target: string) => (await ingest.stored('ping')).filter((row) => row['target'] === target)
const tokenOf = async (body: string) =>
  `${ingest.organisationId}-ping-${(await batchHash({ kind: 'ndjson' }, Buffer.from(body))).toString('hex')}`

/** Simulates an instance that died after it had sent the INSERT: the batch is recorded as begun, but not as stored. */
const leaveBegun = async (body: string) =>
  runSql(ingest.world.superuserUrl, 'INSERT INTO ingest_batches (organisation_id, test, sha256) VALUES ($1, $2, $3)', [
    ingest.organisationId,
    'ping',
    await batchHash({ kind: 'ndjson' }, Buffer.from(body)),
  ])

/**
 * Inserts rows into ClickHouse as an interrupted attempt would: with the batch's deduplication token, or without a
 * token if `token` is null.
 */
async function insertAs(token: string | null, rows: readonly Row[]): Promise<void> {
  const [node] = ingest.world.engine('ADMIN').nodes
  await node?.insert({
    table: `${ingest.world.name}.ping`,
    values: rows.map((row) => ({ ...row, agent_id: undefined, panel: 1, agent: 1 })),
    format: 'JSONEachRow',
    clickhouse_settings: {
      distributed_foreground_insert: 1,
      date_time_input_format: 'best_effort',
      insert_deduplicate: token === null ? 0 : 1,
      ...(token === null ? {} : { insert_deduplication_token: token }),
    },
  })
}

const rowsOf = (body: string): Row[] =>
  body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)

describe('the same body', () => {
  it('sent three times is stored once and has the same answer', async () => {
    const { target, body } = batchOf(20)
    const answers = [await ingest.post('ping', body), await ingest.post('ping', body), await ingest.post('ping', body)]
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(reportOf(answers[0])).toMatchObject({ accepted: 20, duplicates: 0, rejected: 0 })
    expect(await storedOf(target)).toHaveLength(20)
  })

  it('sent many times concurrently, to two instances, is stored once', async () => {
    const other = await ingest.world.serve()
    const { target, body } = batchOf(50)
    const addresses = [undefined, other.addresses.ingest, undefined, other.addresses.ingest, undefined]
    const answers = await Promise.all(
      addresses.map((address) => ingest.post('ping', body, address === undefined ? {} : { address })),
    )
    expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(answers.map(() => `200 ${answers[0]?.text}`))
    expect(await storedOf(target)).toHaveLength(50)
  })

  it('with rejected rows has the same answer, and reports them once', async () => {
    const { target, body } = batchOf(6, (index) => (index % 2 === 0 ? {} : { rtt_avg: 'x' }))
    const answers = [await ingest.post('ping', body), await ingest.post('ping', body)]
    expect(reportOf(answers[1])).toEqual(reportOf(answers[0]))
    expect(reportOf(answers[0])).toMatchObject({ accepted: 3, rejected: 3 })
    expect(await storedOf(target)).toHaveLength(3)
    const { batch } = reportOf(answers[0])
    expect((await ingest.rejected()).filter((row) => row['batch'] === batch)).toHaveLength(3)
  })

  it('with repeated rows has the same answer, also for rows that were rejected before', async () => {
    const twice = (index: number) => ({ ...(index < 4 ? {} : { agent_id: 'tardy' }), dtime: timeOf(index % 2) })
    const { target, body } = batchOf(8, twice)
    const first = reportOf(await ingest.post('ping', body))
    expect(first).toMatchObject({ accepted: 2, duplicates: 2, rejected: 4 })
    await ingest.register('homes', ['tardy'])
    const answers = []
    for (let time = 0; time < 3; time += 1) answers.push((await ingest.post('ping', body)).text)
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({
      data: {
        accepted: 4,
        duplicates: 4,
        rejected: 0,
        rejections: [{ reason: 'duplicate_row', rows: 4, first_row: 3 }],
      },
    })
    expect(await storedOf(target)).toHaveLength(4)
  })

  it('sent with the connection cut before the answer, and then again, is stored once', async () => {
    for (const retryForMs of [0, 5, 20, 80]) {
      const { target, body } = batchOf(30)
      await sendAndHangUp(ingest, body, { retryForMs })
      expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 30 })
      expect(await storedOf(target)).toHaveLength(30)
    }
  })

  it('cut half-way stores nothing', async () => {
    const { target, body } = batchOf(30)
    await sendAndHangUp(ingest, body, { retryForMs: 100, bytes: body.length / 2 })
    expect(await storedOf(target)).toEqual([])
  })

  it('of another organisation is another batch', async () => {
    const { target, body } = batchOf(3)
    const theirs = reportOf(await ingest.post('ping', body, { token: ingest.otherToken }))
    expect(theirs).toMatchObject({ accepted: 0, rejected: 3, rejections: [{ reason: 'unknown_agent' }] })
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 3, rejected: 0 })
    expect(await storedOf(target)).toHaveLength(3)
  })

  it('for another test is another batch, also in its report', async () => {
    const { body } = batchOf(3, (index) => (index === 0 ? { rtt_avg: 'x' } : {}))
    for (const test of ['ping', 'latency', 'ping', 'latency']) {
      const report = reportOf(await ingest.post(test, body))
      expect(report).toMatchObject({ accepted: 2, duplicates: 0, rejected: 1 })
      const kept = (await ingest.rejected()).filter((row) => row['batch'] === report.batch && row['test'] === test)
      expect(kept).toHaveLength(1)
    }
  })
})

describe('rejected rows are checked again', () => {
  it('if the agent has been registered meanwhile: they are added, the others not repeated', async () => {
    const late = (index: number) =>
      index % 3 === 0 ? { agent_id: 'late-1' } : index % 3 === 1 ? { agent_id: 'late-2' } : {}
    const { target, body } = batchOf(9, late)
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 3, rejected: 6 })
    await ingest.register('homes', ['late-1'])
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 6, rejected: 3 })
    expect(await storedOf(target)).toHaveLength(6)
    await ingest.register('homes', ['late-2'])
    const again = await Promise.all([1, 2, 3].map(() => ingest.post('ping', body)))
    for (const answer of again) expect(reportOf(answer)).toMatchObject({ accepted: 9, rejected: 0, rejections: [] })
    expect(await storedOf(target)).toHaveLength(9)
  })

  it('also after the time for which batches without rejected rows are recognised', async () => {
    const { target, body } = batchOf(4, (index) => (index < 2 ? { agent_id: 'much-later' } : {}))
    const { target: whole, body: accepted } = batchOf(2)
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 2, rejected: 2 })
    expect(reportOf(await ingest.post('ping', accepted))).toMatchObject({ accepted: 2, rejected: 0 })
    await runSql(
      ingest.world.superuserUrl,
      `UPDATE ingest_batches SET begun_at = begun_at - interval '31 days', stored_at = stored_at - interval '31 days'`,
    )
    await runSql(ingest.world.superuserUrl, `SELECT purge('ingest_batches', '30 days', 10000)`)
    const left = await runSql<{ rejected: string }>(ingest.world.superuserUrl, 'SELECT rejected FROM ingest_batches')
    expect(left.length).toBeGreaterThan(0)
    expect(left.every(({ rejected }) => Number(rejected) > 0)).toBe(true)
    await ingest.register('homes', ['much-later'])
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 4, rejected: 0 })
    expect([await storedOf(target), await storedOf(whole)].map((rows) => rows.length)).toEqual([4, 2])
  })

  it('and an agent registered a moment ago is known', async () => {
    for (const name of ['fresh-1', 'fresh-2', 'fresh-3']) {
      await ingest.register('homes', [name])
      const { body } = batchOf(2, () => ({ agent_id: name }))
      const report = reportOf(await ingest.post('ping', body))
      expect(report).toMatchObject({ rejected: 0 })
    }
  })
})

describe('an unfinished attempt is completed', () => {
  it('if nothing of it was stored', async () => {
    const { target, body } = batchOf(20)
    await leaveBegun(body)
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 20 })
    expect(await storedOf(target)).toHaveLength(20)
  })

  it('if one month of it was stored', async () => {
    const { target, body } = batchOf(20)
    const january = rowsOf(body).slice(0, 10)
    await insertAs(await tokenOf(body), january)
    expect(await storedOf(target)).toHaveLength(10)
    await leaveBegun(body)
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 20 })
    expect(await storedOf(target)).toHaveLength(20)
  })

  it('if all of it was stored and ClickHouse does not have its token', async () => {
    const { target, body } = batchOf(20)
    await insertAs(null, rowsOf(body))
    await leaveBegun(body)
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 20 })
    expect(await storedOf(target)).toHaveLength(20)
  })

  it('if ClickHouse has its token and no rows: it was killed between the two writes', async () => {
    const { target, body } = batchOf(20)
    const decoys = ['2026-01-15T00:00:00Z', '2026-02-15T00:00:00Z'].map((dtime) => ping({ target: 'decoy', dtime }))
    await insertAs(await tokenOf(body), decoys)
    await leaveBegun(body)
    expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 20 })
    expect(await storedOf(target)).toHaveLength(20)
  })

  it('also if some of its rows are rejected or repeated', async () => {
    const { target, body } = batchOf(
      9,
      (index) => [{}, { rtt_avg: 'x' }, { dtime: '2026-01-01 00:00:00' }][index % 3] ?? {},
    )
    await leaveBegun(body)
    const first = reportOf(await ingest.post('ping', body))
    expect(first).toMatchObject({ accepted: 4, duplicates: 2, rejected: 3 })
    expect(reportOf(await ingest.post('ping', body))).toEqual(first)
    expect(await storedOf(target)).toHaveLength(4)
    expect((await ingest.rejected()).filter((row) => row['batch'] === first.batch)).toHaveLength(5)
  })
})

it('stores a batch whose instance has died when it is sent again, without a 503', async () => {
  const { target, body } = batchOf(2)
  await leaveBegun(body)
  await runSql(
    ingest.world.superuserUrl,
    `UPDATE ingest_batches SET leased_until = now() + interval '${limits.batchLeaseMs} milliseconds' WHERE stored_at IS NULL`,
  )
  expect(reportOf(await ingest.post('ping', body)).accepted).toBe(2)
  expect(await storedOf(target)).toHaveLength(2)
}, 40_000)

it('answers 503 while another instance stores the same batch for too long, and does not take it over', async () => {
  const { target, body } = batchOf(2)
  await leaveBegun(body)
  await runSql(
    ingest.world.superuserUrl,
    `UPDATE ingest_batches SET leased_until = now() + interval '1 minute' WHERE stored_at IS NULL`,
  )
  const startedAt = runningMs()
  const answer = await ingest.post('ping', body)
  expect(runningMs() - startedAt).toBeLessThan(13_000)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await storedOf(target)).toEqual([])
}, 40_000)

it('stages no rows of a new batch, rejected or not, on any node', async () => {
  const staged = async () => {
    const counts = await Promise.all(
      ingest.world.engine('ADMIN').nodes.map(async (node) => {
        const query = `SELECT toUInt32(count()) AS rows FROM ${ingest.world.name}.staged_results`
        return (await node.query({ query, format: 'JSONEachRow' })).json<{ rows: number }>()
      }),
    )
    return counts.flat()
  }
  const before = await staged()
  for (const flaw of [{}, { rtt_avg: 'x' }, {}, { agent_id: 'nobody' }]) {
    const { body } = batchOf(4, (index) => (index === 0 ? flaw : { agent_id: `wb-${index}` }))
    expect(reportOf(await ingest.post('ping', body)).accepted).toBe('rtt_avg' in flaw || 'agent_id' in flaw ? 3 : 4)
  }
  expect(await staged()).toEqual(before)
})

it('stores all rows of one batch together: one part for each month, whatever its size', async () => {
  const { target, body } = batchOf(30_000)
  expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 30_000 })
  const parts = await ingest.ask<{ parts: number }>(
    `SELECT toUInt32(uniqExact(_part)) AS parts FROM ${ingest.world.name}.ping WHERE target = '${target}' AND toYYYYMM(dtime) = 202602`,
  )
  expect(parts).toEqual([{ parts: 1 }])
})
