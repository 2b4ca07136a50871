import { afterAll, beforeAll, expect, it } from 'vitest'
import { ingestLimits } from '../../src/base/limits.ts'
import { ndjson, openIngestWorld, ping, reportOf, type IngestWorld, type Row } from './ingest-world.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld()
})
afterAll(() => ingest.world.close())

const keptMax = ingestLimits.rejectedRowsKeptMax

let second = 0
const nextTime = () => new Date(Date.UTC(2026, 0, 1) + (second += 1) * 1000).toISOString()
const rowsOf = (count: number, more: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => ping({ dtime: nextTime(), ...more(index) }))

type Kept = { row: string; reason: string; rows: number }
const kept = (batch: string) =>
  ingest.ask<Kept>(
    `SELECT toString(row) AS row, reason, rows FROM ${ingest.world.name}.rejected_results WHERE batch = '${batch}' ORDER BY reason, rejected_results.row`,
  )

it('keeps the first rows of each reason and column, counts all of them, and reports how many are kept', async () => {
  // Every third row is valid. Of the other rows, those with index 1, 51, 101 … have a value of the wrong type. The rest
  // have an unknown agent.
  const flawOf = (index: number) =>
    index % 3 === 0 ? {} : index % 50 === 1 ? { rtt_avg: 'x' } : { agent_id: 'unknown' }
  const body = ndjson(rowsOf(600, flawOf))
  const answers = [await ingest.post('ping', body), await ingest.post('ping', body)]
  const report = reportOf(answers[0])
  expect(report).toMatchObject({
    accepted: 200,
    duplicates: 0,
    rejected: 400,
    rejections: [
      { reason: 'unknown_agent', column: 'agent_id', rows: 392, kept_rows: keptMax, first_row: 3 },
      { reason: 'wrong_type', column: 'rtt_avg', rows: 8, kept_rows: 8, first_row: 2 },
    ],
  })
  expect(answers[1]?.text).toBe(answers[0]?.text)
  const rows = await kept(report.batch)
  const unknown = Array.from({ length: 600 }, (_, index) => index).filter((index) => 'agent_id' in flawOf(index))
  expect(rows.filter(({ reason }) => reason === 'unknown_agent')).toEqual(
    unknown.slice(0, keptMax).map((index, place) => ({
      row: String(index + 1),
      reason: 'unknown_agent',
      // The count of the last kept row includes all following rows, which are not kept.
      rows: place === keptMax - 1 ? 392 - keptMax + 1 : 1,
    })),
  )
  expect(rows.reduce((sum, { rows: of }) => sum + of, 0)).toBe(400)
})

it('counts rejected rows that are accepted later, and checks those beyond the kept ones again too', async () => {
  const body = ndjson(rowsOf(2 * keptMax, (index) => ({ agent_id: index % 2 === 0 ? 'tardy-1' : 'tardy-2' })))
  expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 0, rejected: 2 * keptMax })
  await ingest.register('homes', ['tardy-1'])
  const report = reportOf(await ingest.post('ping', body))
  expect(report).toMatchObject({
    accepted: keptMax,
    rejected: keptMax,
    rejections: [{ rows: keptMax, kept_rows: keptMax, first_row: 2 }],
  })
  await ingest.register('homes', ['tardy-2'])
  expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 2 * keptMax, rejected: 0 })
})

it('keeps the first of repeated rows, with the same answer each time', async () => {
  const [one] = rowsOf(1, () => ({}))
  const body = ndjson(Array.from({ length: 3 * keptMax + 1 }, () => one ?? {}))
  const answers = [await ingest.post('ping', body), await ingest.post('ping', body)]
  const report = reportOf(answers[0])
  expect(report).toMatchObject({
    accepted: 1,
    duplicates: 3 * keptMax,
    rejected: 0,
    rejections: [{ reason: 'duplicate_row', column: '', rows: 3 * keptMax, kept_rows: keptMax, first_row: 2 }],
  })
  expect(answers[1]?.text).toBe(answers[0]?.text)
  expect(await kept(report.batch)).toHaveLength(keptMax)
})

it('reports the most frequent columns separately, and counts the others without their names', async () => {
  const kindsMax = ingestLimits.rejectionKindsMax
  const names = Array.from({ length: kindsMax + 10 }, (_, index) => `c${index}`)
  const body = ndjson([
    ...rowsOf(names.length, (index) => ({ [names[index] ?? '']: 1 })),
    ...rowsOf(5, () => ({ often: 1 })),
  ])
  const { rejected, rejections } = reportOf(await ingest.post('ping', body))
  expect(rejected).toBe(kindsMax + 15)
  expect(rejections.reduce((sum, { rows }) => sum + rows, 0)).toBe(rejected)
  expect(rejections.slice(0, 2)).toMatchObject([
    { reason: 'unexpected_column', column: '', rows: 11 },
    { reason: 'unexpected_column', column: 'often', rows: 5 },
  ])
  expect(rejections).toHaveLength(kindsMax + 1)
})

it('truncates an extremely long column name', async () => {
  const name = 'ü'.repeat(300)
  const { rejections } = reportOf(await ingest.post('ping', ndjson(rowsOf(1, () => ({ [name]: 1 })))))
  expect(rejections).toMatchObject([{ reason: 'unexpected_column', column: 'ü'.repeat(255), rows: 1 }])
})
