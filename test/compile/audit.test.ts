import { describe, expect, it } from 'vitest'
import { auditSearch, type AuditSearch } from '../../src/compile/audit-search.ts'
import { auditColumns, createAuditTable, createDistributedAuditTable } from '../../src/compile/audit-table.ts'
import { conditionsOf, shown } from './shown.ts'

const everything: AuditSearch = {
  organisation: null,
  token: null,
  requestId: null,
  traceId: null,
  endpoint: null,
  status: null,
  since: Temporal.Instant.from('2026-01-02T03:04:05.6789Z'),
  until: Temporal.Instant.from('2026-01-03T00:00:00Z'),
  rowsMax: 50,
}
const time = (text: string): string => `{"${text}":DateTime64(3, 'UTC')}`

it('finds the newest queries of a time, the question and its outcome as one row', () => {
  expect(shown(auditSearch('bg', everything)))
    .toBe(`SELECT asked_at, organisation, token, endpoint, status, complete, rows, bytes, engine_ms,
  range_clock, range_from, range_to, panels, request_id, trace_id, body
FROM bg.audited_queries FINAL
WHERE asked_at >= ${time('2026-01-02 03:04:05.678')}
  AND asked_at < ${time('2026-01-03 00:00:00.000')}
ORDER BY asked_at DESC, id
LIMIT {50:UInt32}`)
})

describe('narrows by', () => {
  it.each([
    [{ organisation: 4 }, 'organisation = {4:UInt32}'],
    [{ token: 5 }, 'token = {5:UInt32}'],
    [{ requestId: 'r-1' }, 'request_id = {"r-1":String}'],
    [{ traceId: 'abc' }, 'trace_id = {"abc":String}'],
    [{ endpoint: 'POST /metric_data' }, 'endpoint = {"POST /metric_data":String}'],
    [{ status: 422 }, 'status = {422:UInt16}'],
    [{ organisation: 0 }, 'organisation = {0:UInt32}'],
  ])('%j', (asked, condition) => {
    expect(conditionsOf(shown(auditSearch('bg', { ...everything, ...asked }))).slice(2)).toEqual([condition])
  })

  it('all that is given', () => {
    const asked = { ...everything, organisation: 4, status: 200 }
    expect(conditionsOf(shown(auditSearch('bg', asked))).slice(2)).toEqual([
      'organisation = {4:UInt32}',
      'status = {200:UInt16}',
    ])
  })
})

it('stores who asked what, and what came of it', () => {
  expect(Object.fromEntries(auditColumns.map(({ name, type }) => [name, shown(type)]))).toEqual({
    organisation: 'UInt32',
    asked_at: "DateTime64(3, 'UTC')",
    id: 'UUID',
    token: 'Nullable(UInt32)',
    endpoint: 'LowCardinality(Nullable(String))',
    request_id: 'Nullable(String)',
    trace_id: 'Nullable(String)',
    body: 'Nullable(String)',
    panels: 'Array(UInt32)',
    range_clock: 'LowCardinality(Nullable(String))',
    range_from: 'Nullable(String)',
    range_to: 'Nullable(String)',
    finished_at: "Nullable(DateTime64(3, 'UTC'))",
    status: 'Nullable(UInt16)',
    complete: 'Nullable(UInt8)',
    rows: 'Nullable(UInt64)',
    bytes: 'Nullable(UInt64)',
    engine_ms: 'Nullable(Float64)',
  })
})

it.each([
  ['single', 'bg.audited_queries', 'CoalescingMergeTree', 'non_replicated'],
  ['shard', 'bg.audited_queries_shard', 'CoalescingMergeTree', 'non_replicated'],
  [
    'replicated-shard',
    'bg.audited_queries_shard',
    "ReplicatedCoalescingMergeTree('/clickhouse/tables/{shard}/bg/audited_queries_shard', '{replica}')",
    'replicated',
  ],
] as const)('is created %s: two rows of a query become one, for so many days', (layout, table, engine, window) => {
  const text = shown(createAuditTable('bg', layout, 400))
  expect(text.startsWith(`CREATE TABLE IF NOT EXISTS ${table} (\n  organisation UInt32 COMMENT `)).toBe(true)
  expect(text.slice(text.indexOf('\n)\n'))).toBe(`
)
ENGINE = ${engine}
PARTITION BY toYYYYMM(asked_at)
ORDER BY (organisation, asked_at, id)
TTL toDateTime(asked_at) + toIntervalDay(400)
SETTINGS ${window}_deduplication_window = 10000, ttl_only_drop_parts = 1
COMMENT 'Analytics queries: who asked what, and what came of it.'`)
})

it('keeps both rows of a query on one shard', () => {
  expect(shown(createDistributedAuditTable('bg', 'wide'))).toBe(`CREATE TABLE IF NOT EXISTS bg.audited_queries
AS bg.audited_queries_shard
ENGINE = Distributed('wide', 'bg', 'audited_queries_shard', cityHash64(id))`)
})
