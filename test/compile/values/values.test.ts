import { describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import {
  findUnscanned,
  scannedTests,
  recordProgress,
  recordNewValues,
  readNow,
} from '../../../src/compile/values/record-values.ts'
import { readAge, searchFactValues } from '../../../src/compile/values/search-values.ts'
import {
  createDistributedValueTable,
  createValueTable,
  factValues,
  scannedFacts,
} from '../../../src/compile/values/value-tables.ts'
import { shown } from '../shown.ts'

const node = { database: 'bg', isSingle: true, number: 2 }
const shard = { ...node, isSingle: false }
const dns = { key: 'dns', columns: ['target', 'threads'] }
const isNew = (
  suffix = '',
): string => `ingested_at >= (SELECT max(upto) - INTERVAL 15 MINUTE FROM bg.scanned_facts${suffix}
    WHERE node = {2:UInt16} AND test = 'dns' AND columns = 'target,threads')`

it('notes the columns of each test that have a filter with values', () => {
  expect(Object.fromEntries(scannedTests(catalog).map(({ key, columns }) => [key, columns.join()]))).toMatchObject({
    httpget: 'target,target_group,threads,ip_version',
    ping: 'target',
    mobile_latency:
      'target,model,manufacturer,operating_system_version,carrier_name,connection_type,cellular_technology,geo_country',
  })
  expect(scannedTests(catalog).map(({ key }) => key)).not.toContain('dns')
  expect(scannedTests(catalog).map(({ key }) => key)).not.toContain('network_usage')
})

it('notes values of new facts that are not noted yet, short ones only', () => {
  const found = (name: string): string => `SELECT '${name}' AS column, toString(assumeNotNull(${name})) AS value, panel
  FROM bg.dns WHERE ${isNew()} AND isNotNull(${name})
    AND length(toString(assumeNotNull(${name}))) <= {1000:UInt32} GROUP BY panel, ${name}`
  expect(shown(recordNewValues(node, dns))).toBe(`INSERT INTO bg.fact_values (column, folded, value, panel, test)
SELECT column, lowerUTF8(value), value, panel, 'dns' FROM (
  ${found('target')}
  UNION ALL ${found('threads')}
)
WHERE (column, value, panel) NOT IN (SELECT column, value, panel FROM bg.fact_values WHERE test = 'dns')`)
})

it('notes on a shard the values of its own facts', () => {
  expect(shown(recordNewValues(shard, dns))).toMatch(
    /INTO bg\.fact_values_shard [^]*FROM bg\.dns_shard WHERE [^]*FROM bg\.scanned_facts_shard\n/,
  )
})

it('finds tests with facts that have not been noted', () => {
  expect(shown(findUnscanned(node, [dns, { ...dns, key: 'dns' }]))).toBe(
    `SELECT test FROM (SELECT 'dns' AS test FROM bg.dns WHERE ${isNew()} LIMIT 1 UNION ALL SELECT 'dns' AS test FROM bg.dns WHERE ${isNew()} LIMIT 1)`,
  )
})

it('records its progress', () => {
  expect(shown(recordProgress(shard, [dns, { key: 'ping', columns: ['target'] }], '2026-01-02 03:04:05.678'))).toBe(
    `INSERT INTO bg.scanned_facts_shard (node, test, columns, upto) VALUES ({2:UInt16}, 'dns', 'target,threads', '2026-01-02 03:04:05.678'), ({2:UInt16}, 'ping', 'target', '2026-01-02 03:04:05.678')`,
  )
  expect(shown(readNow)).toBe("SELECT toString(now64(3, 'UTC')) AS now")
})

describe('a search', () => {
  const search = { column: 'target', panels: [3, 7], tests: ['ping', 'dns'], text: 'Ber', place: 'prefix' } as const

  it('lists values of the caller’s panels, prefixes first, in the order of the table', () => {
    const { text, params } = searchFactValues('bg', search, 21)
    expect(text).toBe(`SELECT value, toUInt32(count()) AS rows FROM (
  SELECT folded, value FROM bg.fact_values
  WHERE panel IN {p1:Array(UInt32)} AND test IN {p2:Array(String)} AND column = 'target'
    AND startsWith(folded, lowerUTF8({p3:String}))
  ORDER BY folded, value LIMIT {p4:UInt64}
) GROUP BY folded, value ORDER BY folded, value`)
    expect(params).toEqual({ p1: [3, 7], p2: ['ping', 'dns'], p3: 'Ber', p4: 21 })
  })

  it('lists values that contain the text elsewhere, without those that begin with it', () => {
    expect(searchFactValues('bg', { ...search, place: 'inside' }, 21).text).toContain(
      '\n    AND position(folded, lowerUTF8({p3:String})) > 0 AND NOT startsWith(folded, lowerUTF8({p3:String}))\n',
    )
  })
})

it('returns the age of the list, and how many nodes and tests it covers', () => {
  const { text, params } = readAge('bg', [dns, { key: 'ping', columns: ['target'] }])
  expect(text)
    .toBe(`SELECT toUInt32(count()) AS parts, toUInt32(greatest(0, dateDiff('second', min(latest), now64(3, 'UTC')))) AS age
FROM (
  SELECT max(upto) AS latest FROM bg.scanned_facts
  WHERE concat(test, ' ', columns) IN {p1:Array(String)} GROUP BY node, test
)`)
  expect(params).toEqual({ p1: ['dns target,threads', 'ping target'] })
})

it('keeps values sorted by their lower case, with an index over the panels', () => {
  expect(shown(createValueTable(factValues, 'bg', 'single'))).toBe(`CREATE TABLE IF NOT EXISTS bg.fact_values (
  column LowCardinality(String) COMMENT 'The column of the facts.' CODEC(ZSTD(1)),
  folded String COMMENT 'The value in lower case.' CODEC(ZSTD(1)),
  value String COMMENT 'The value; of a number its digits.' CODEC(ZSTD(1)),
  panel UInt32 COMMENT 'Number of the panel it occurs in.' CODEC(ZSTD(1)),
  test LowCardinality(String) COMMENT 'Key of the test it occurs in.' CODEC(ZSTD(1)),
  INDEX panels panel TYPE set(100) GRANULARITY 1
)
ENGINE = ReplacingMergeTree
ORDER BY (column, folded, value, panel, test)
COMMENT 'Distinct values of facts, for the values of filters.'`)
})

it('keeps the progress of each node', () => {
  expect(shown(createValueTable(scannedFacts, 'bg', 'replicated-shard')))
    .toBe(`CREATE TABLE IF NOT EXISTS bg.scanned_facts_shard (
  node UInt16 COMMENT 'Place of the node in BROADGAUGE_CLICKHOUSE_URL.' CODEC(ZSTD(1)),
  test LowCardinality(String) COMMENT 'Key of the test.' CODEC(ZSTD(1)),
  columns String COMMENT 'Columns whose values are recorded.' CODEC(ZSTD(1)),
  upto DateTime64(3, 'UTC') COMMENT 'Facts ingested before this time are scanned.' CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/bg/scanned_facts_shard', '{replica}')
ORDER BY (test, columns, node)
COMMENT 'Progress of the scan of facts for fact_values.'`)
})

it('is read over all nodes', () => {
  expect(shown(createDistributedValueTable(factValues, 'bg', 'wide'))).toBe(`CREATE TABLE IF NOT EXISTS bg.fact_values
AS bg.fact_values_shard
ENGINE = Distributed('wide', 'bg', 'fact_values_shard')`)
})
