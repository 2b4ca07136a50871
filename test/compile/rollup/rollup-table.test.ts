import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import {
  createDistributedRollupTable,
  createRollupTable,
  rollupColumns,
} from '../../../src/compile/rollup/rollup-table.ts'
import { sumColumns } from '../../../src/compile/rollup/rollup-columns.ts'
import { shown } from '../shown.ts'

it('has the stored columns, with these types', () => {
  const types = Object.fromEntries(rollupColumns(catalog, 'bg').map(({ name, type }) => [name, shown(type)]))
  expect(types).toEqual({
    metric: 'LowCardinality(String)',
    prefilter: 'UInt8',
    grain: 'UInt8',
    whole: 'UInt8',
    panel: 'UInt32',
    day: 'Date',
    build: 'UInt64',
    expires: 'Date',
    block: 'UInt8',
    isp_id: 'UInt32',
    package_id: 'UInt32',
    country: 'LowCardinality(Nullable(String))',
    base: 'LowCardinality(Nullable(String))',
    target: 'LowCardinality(Nullable(String))',
    target_group: 'LowCardinality(Nullable(String))',
    threads: 'Nullable(UInt16)',
    ip_version: 'Nullable(UInt16)',
    model: 'LowCardinality(Nullable(String))',
    manufacturer: 'LowCardinality(Nullable(String))',
    operating_system_version: 'LowCardinality(Nullable(String))',
    carrier_name: 'LowCardinality(Nullable(String))',
    connection_type: 'LowCardinality(Nullable(String))',
    cellular_technology: 'LowCardinality(Nullable(String))',
    geo_country: 'LowCardinality(Nullable(String))',
    results: 'UInt64',
    total: 'Int128',
    squares: 'Int256',
    least: 'Int64',
    greatest: 'Int64',
    least_wide: 'Int128',
    greatest_wide: 'Int128',
    numerators: 'Int128',
    denominators: 'Int128',
    numerator_squares: 'Int256',
    products: 'Int256',
    denominator_squares: 'Int256',
    mean: 'AggregateFunction(avg, Float64)',
    variance: 'AggregateFunction(varPopStable, Float64)',
    least_percentage: 'Float64',
    greatest_percentage: 'Float64',
    agents: 'AggregateFunction(groupBitmap, UInt32)',
    units: 'AggregateFunction(groupBitmap, UInt32)',
    sketch: 'Tuple(Array(Int32), Array(UInt64))',
  })
})

it.each([
  ['single', 'bg.metric_rollup', 'MergeTree'],
  ['shard', 'bg.metric_rollup_shard', 'MergeTree'],
  [
    'replicated-shard',
    'bg.metric_rollup_shard',
    "ReplicatedMergeTree('/clickhouse/tables/{shard}/bg/metric_rollup_shard', '{replica}')",
  ],
] as const)(
  'is created %s: sorted by the usual conditions, dropped when expired, synced to disk',
  (layout, table, engine) => {
    const text = shown(createRollupTable(catalog, 'bg', layout))
    expect(
      text.startsWith(
        `CREATE TABLE IF NOT EXISTS ${table} (\n  metric LowCardinality(String) COMMENT 'Key of the metric.' CODEC(ZSTD(1)),\n`,
      ),
    ).toBe(true)
    expect(text.slice(text.indexOf('\n)\n'))).toBe(`
)
ENGINE = ${engine}
PARTITION BY toYYYYMM(day)
ORDER BY (metric, prefilter, grain, whole, panel, day, build)
TTL expires
SETTINGS index_granularity = 128, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Daily aggregates of results, for long ranges.'`)
  },
)

it('is one table over all shards, by day', () => {
  expect(shown(createDistributedRollupTable('bg', 'wide'))).toBe(`CREATE TABLE IF NOT EXISTS bg.metric_rollup
AS bg.metric_rollup_shard
ENGINE = Distributed('wide', 'bg', 'metric_rollup_shard', toUInt16(day))`)
})

const addedUp = (name: string): string[] => {
  const sum = sumColumns('bg').find((one) => one.name === name)
  return sum === undefined ? [] : [shown(sum.ofRollup(sql`c`)), shown(sum.finally(sql`c`))]
}

it.each([
  ['results', 'sum(c)'],
  ['total', 'sum(c)'],
  ['denominator_squares', 'sum(c)'],
  ['least', 'min(c)'],
  ['greatest', 'max(c)'],
  ['least_wide', 'min(c)'],
  ['greatest_wide', 'max(c)'],
  ['least_percentage', 'min(c)'],
  ['greatest_percentage', 'max(c)'],
  ['sketch', 'sumMap(c)'],
])('adds %s up by %s, also at the end', (name, expected) => {
  expect(addedUp(name)).toEqual([expected, expected])
})

it.each([
  ['mean', 'avg'],
  ['variance', 'varPopStable'],
  ['agents', 'groupBitmap'],
  ['units', 'groupBitmap'],
])('merges states of %s until the end', (name, how) => {
  expect(addedUp(name)).toEqual([`${how}MergeState(c)`, `${how}Merge(c)`])
})
