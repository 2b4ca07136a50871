import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import type { Validation } from '../../../src/compile/ingest/validate-rows.ts'
import {
  createDistributedRejectedTable,
  createRejectedTable,
  rejectedColumns,
} from '../../../src/compile/ingest/rejected-table.ts'
import type { RowSource } from '../../../src/compile/ingest/row-source.ts'
import {
  countMissing,
  countRejected,
  insertMissing,
  insertRejectedAgain,
} from '../../../src/compile/ingest/staged-rows.ts'
import {
  countReasons,
  countRejections,
  findFirstDuplicate,
  insertAccepted,
  insertFacts,
  insertRejected,
  insertRejections,
  stageRows,
} from '../../../src/compile/ingest/store-rows.ts'
import { shown } from '../shown.ts'
import { small } from './small-test.ts'

const source: RowSource = { select: sql`SELECT rows`, format: 'LineAsString', settings: {} }
const validation: Validation = { test: small, database: 'bg', panels: [3, 7], nowMs: 0 }
const place = { organisation: 4, batch: 'b1', rowsBefore: 1000, source: 'file 0' }

const values = "c_target, nullIf(c_address, ''), v_rtt, v_speed, v_sequence, v_ip_version, assumeNotNull(v_successes)"
const into = `INSERT INTO bg.small (panel, agent, dtime, target, address, rtt, speed, sequence, ip_version, successes)
SELECT panel, agent, at, ${values} FROM (`

it('stores facts column by column', () => {
  expect(shown(insertFacts(small, 'bg', sql`SELECT x`))).toBe(`${into}SELECT x)`)
})

it('stores accepted rows from the data that follows', () => {
  const text = shown(insertAccepted(validation, source))
  expect(text.startsWith(into)).toBe(true)
  expect(text).toMatch(/\nLIMIT 1 BY found\.1, at, c_target, v_ip_version\) FORMAT LineAsString$/)
})

const rejections = (rows: string): string =>
  `INSERT INTO bg.rejected_results (organisation, test, batch, row, reason, column, agent_id, raw, source, rows)
SELECT {4:UInt32}, 'small', {"b1":String}, row + {1000:UInt64},
  reason, column, agent_id, raw, {"file 0":String}, rows
FROM (${rows})`

const kept = (rows: string): string => `SELECT kept.1 AS row, reason, column, kept.2 AS agent_id, kept.3 AS raw,
  toUInt32(if(place = length(firsts), total - place + 1, 1)) AS rows
FROM (
  SELECT reason, shown_column AS column, sum(rows) AS total, groupArraySortedArray(100)(firsts_of_column) AS firsts FROM (
    SELECT reason, rows, firsts_of_column,
      if(row_number() OVER (ORDER BY rows DESC, reason, column) <= 50, column, '') AS shown_column
    FROM (
      SELECT reason, column, count() AS rows, groupArraySorted(100)((row, agent_id, raw)) AS firsts_of_column
      FROM (${rows}) GROUP BY reason, column
    )
  ) GROUP BY reason, shown_column
) ARRAY JOIN firsts AS kept, arrayEnumerate(firsts) AS place`

it('stores rejected rows under the batch’s name, numbered from its first', () => {
  expect(shown(insertRejections(validation, place, sql`SELECT x`))).toBe(rejections('SELECT x'))
  const text = shown(insertRejected(validation, source, place))
  const [before = '', after = ''] = rejections(kept('|')).split('|')
  expect(text.startsWith(`${before}SELECT row, reason, column, c_agent_id AS agent_id, raw FROM (SELECT *, `)).toBe(
    true,
  )
  expect(text.endsWith(`)${after} FORMAT LineAsString`)).toBe(true)
})

const keptRows = `SELECT row, reason, column, rows FROM bg.rejected_results
WHERE organisation = {4:UInt32} AND test = 'small' AND batch = {"b1":String}`
const counted = (
  rows: string,
): string => `SELECT reason, column, toUInt32(sum(kept.rows)) AS rows, toUInt32(count()) AS kept_rows, toUInt32(min(row)) AS first_row
FROM (${rows}) AS kept GROUP BY reason, column ORDER BY rows DESC, reason, column`

it('counts the reasons for rejected rows, the most frequent first', () => {
  expect(shown(countReasons(sql`SELECT x`))).toBe(counted('SELECT x'))
})

it('counts the reported rows of a place', () => {
  expect(shown(countRejections(validation, place))).toBe(
    counted(`SELECT * FROM (${keptRows}) WHERE row > {1000:UInt64}`),
  )
})

it('finds the first repeated row of a place, and not those of the next', () => {
  expect(shown(findFirstDuplicate(validation, place, 50))).toBe(
    `SELECT reason, column, toUInt32(min(row)) AS first_row FROM (${keptRows}) WHERE reason = 'duplicate_row'
  AND row BETWEEN {1001:UInt64} AND {1050:UInt64}
GROUP BY reason, column`,
  )
})

it('stages rows with the outcome of their checks', () => {
  const text = shown(stageRows(validation, source, 'a1'))
  const cells = 'c_agent_id, c_dtime, c_target, c_address, c_rtt, c_speed, c_sequence, c_ip_version, c_successes'
  expect(
    text.startsWith(`INSERT INTO bg.staged_results (attempt, row, raw, reason, column, panel, agent, at, cells)
SELECT {"a1":String}, row, raw, reason, column, panel, agent, at, [${cells}]
FROM (SELECT *, found.1 AS agent, `),
  ).toBe(true)
  expect(text.endsWith('(SELECT rows))) FORMAT LineAsString')).toBe(true)
})

describe('staged rows', () => {
  const staged = 'bg.staged_results WHERE attempt = {"a1":String}'
  const identity =
    'cells[{3:UInt16}] AS c_target, cells[{8:UInt16}] AS c_ip_version, toUInt8OrNull(c_ip_version) AS v_ip_version'
  const first = `SELECT min(row) AS first FROM (
  SELECT row, agent, at, ${identity} FROM ${staged} AND reason = ''
) GROUP BY agent, at, c_target, v_ip_version`
  const missing = (columns: string): string => `SELECT * FROM (
  SELECT row, panel, agent, at, ${columns}
  FROM ${staged} AND reason = '' AND row IN (${first})
) WHERE (agent, at, c_target, v_ip_version) NOT IN (SELECT agent, dtime, target, ip_version FROM bg.small
WHERE panel IN {[3,7]:Array(UInt32)}
  AND (toDate(dtime), agent) GLOBAL IN (SELECT DISTINCT toDate(at), agent FROM ${staged} AND reason = ''))`

  it('are counted if they can be stored and are not, under one name for all storable rows', () => {
    expect(shown(countMissing(validation, 'a1'))).toBe(`SELECT toUInt32(count()) AS missing,
  (SELECT hex(groupBitXor(sipHash64(first))) FROM (${first})) AS name
FROM (${missing(identity)})`)
  })

  it('are stored if they are missing, with all their cells', () => {
    const cells = ['target', 'address', 'rtt', 'speed', 'sequence', 'ip_version', 'successes'].map(
      (name, index) => `cells[{${index + 3}:UInt16}] AS c_${name}`,
    )
    const numbers =
      'toInt64OrNull(c_rtt) AS v_rtt, toInt64OrNull(c_speed) AS v_speed, toUInt16OrNull(c_sequence) AS v_sequence, toUInt8OrNull(c_ip_version) AS v_ip_version, toUInt32OrNull(c_successes) AS v_successes'
    expect(shown(insertMissing(validation, 'a1'))).toBe(`${into}${missing(`${cells.join(', ')}, ${numbers}`)})`)
  })

  const rejected = `SELECT row, if(reason = '', 'duplicate_row', reason) AS reason, column, agent_id, raw FROM (
  SELECT row, reason, column, cells[1] AS agent_id, raw
  FROM ${staged} AND (reason != '' OR row NOT IN (${first}))
)`

  it('are rejected if they have a fault, or repeat another row', () => {
    expect(shown(countRejected(validation, 'a1', 1000))).toBe(
      counted(`SELECT row + {1000:UInt64} AS row, reason, column, rows FROM (${kept(rejected)})`),
    )
  })

  it('are reported once, whatever the attempt', () => {
    expect(shown(insertRejectedAgain(validation, 'a1', place))).toBe(
      rejections(`SELECT * FROM (${kept(rejected)})
WHERE (row + {1000:UInt64}, reason) NOT IN (SELECT row, reason FROM (${keptRows}))`),
    )
  })
})

describe('the table of rejected rows', () => {
  it('has the sender, the row, and its fault', () => {
    expect(Object.fromEntries(rejectedColumns.map(({ name, type }) => [name, shown(type)]))).toEqual({
      organisation: 'UInt32',
      test: 'LowCardinality(String)',
      batch: 'String',
      row: 'UInt64',
      reason: 'LowCardinality(String)',
      column: 'String',
      agent_id: 'String',
      raw: 'String',
      rows: 'UInt32',
      source: 'String',
      rejected_at: "DateTime64(3, 'UTC')",
    })
  })

  it.each([
    ['single', 'rejected_results', 'MergeTree', 'non_replicated'],
    ['shard', 'rejected_results_shard', 'MergeTree', 'non_replicated'],
    [
      'replicated-shard',
      'rejected_results_shard',
      "ReplicatedMergeTree('/clickhouse/tables/{shard}/bg/rejected_results_shard', '{replica}')",
      'replicated',
    ],
  ] as const)('is created %s, and keeps rows for 90 days', (layout, table, engine, window) => {
    const text = shown(createRejectedTable('bg', layout))
    expect(text.startsWith(`CREATE TABLE IF NOT EXISTS bg.${table} (\n  organisation UInt32 COMMENT `)).toBe(true)
    expect(text).toContain('\n  rows UInt32 DEFAULT 1 COMMENT ')
    expect(text).toContain("\n  rejected_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT ")
    expect(text.slice(text.indexOf('\n)\n'))).toBe(`
)
ENGINE = ${engine}
PARTITION BY toYYYYMM(rejected_at)
ORDER BY (organisation, test, batch, row)
TTL toDateTime(rejected_at) + INTERVAL 90 DAY
SETTINGS ${window}_deduplication_window = 10000
COMMENT 'Rows that were sent and could not be stored.'`)
  })

  it('has the rows of a batch on one shard', () => {
    expect(shown(createDistributedRejectedTable('bg', 'wide'))).toBe(`CREATE TABLE IF NOT EXISTS bg.rejected_results
AS bg.rejected_results_shard
ENGINE = Distributed('wide', 'bg', 'rejected_results_shard', cityHash64(batch))`)
  })
})
