import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'
import type { Column } from '../../src/catalog/columns.ts'
import { csv, ndjson, openIngestWorld, reportOf, type IngestWorld, type Row } from './ingest-world.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld()
  await ingest.register('homes', ['phone-1'], 'mobile')
})
afterAll(() => ingest.world.close())

const largest: Record<Column['type'], unknown> = {
  text: 'text with "quotes", a comma, ü and\na second line',
  uint8: 255,
  uint16: 65_535,
  uint32: 4_294_967_295,
  int64: -9_007_199_254_740_991,
}

/** Two rows: one with every column at the end of its range, and one with only the required columns. */
function rowsOf(columns: readonly Column[], agentId: string): [Row, Row] {
  const full = columns.map(({ name, type }) => [name, largest[type]])
  const bare = columns.filter(({ required }) => required).map(({ name, type }) => [name, type === 'text' ? 'x' : 0])
  const framing = (dtime: string) => ({ agent_id: agentId, dtime })
  return [
    { ...framing('2026-01-05 10:00:00.123'), ...Object.fromEntries(full) },
    { ...framing('2026-01-06 10:00:00'), ...Object.fromEntries(bare) },
  ]
}

describe.each(catalog.tests.map((test) => ({ key: test.key, test })))('$key', ({ key, test }) => {
  const agentId = test.family === 'mobile' ? 'phone-1' : 'wb-1'

  it.each([
    ['NDJSON', 'application/x-ndjson', ndjson, '2026'],
    ['CSV', 'text/csv', csv, '2025'],
  ] as const)('stores rows sent as %s, column by column', async (_format, type, write, year) => {
    const rows = rowsOf(test.columns, agentId).map((row) => ({
      ...row,
      dtime: String(row['dtime']).replace('2026', year),
    }))
    const answer = await ingest.post(key, write(rows), { headers: { 'content-type': type } })
    expect(reportOf(answer)).toMatchObject({ accepted: 2, rejected: 0, duplicates: 0, rejections: [] })
    const [full, bare] = await ingest.ask<Row>(
      `SELECT * FROM ${ingest.world.name}.${key} WHERE toYear(dtime) = ${year} ORDER BY dtime`,
    )
    const nothing = Object.fromEntries(test.columns.map(({ name }) => [name, null]))
    const agent = test.family === 'mobile' ? 5 : 1
    const { agent_id: _one, ...first } = rows[0] as Row
    const { agent_id: _other, ...second } = rows[1] as Row
    const ingestedAt = expect.stringMatching(/^20/)
    expect(full).toEqual({ panel: 1, agent, ...first, ingested_at: ingestedAt })
    expect(bare).toEqual({
      panel: 1,
      agent,
      ...nothing,
      ...second,
      dtime: `${String(second['dtime'])}.000`,
      ingested_at: ingestedAt,
    })
  })
})
