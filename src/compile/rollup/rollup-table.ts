import { identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import {
  columnDeclaration,
  plainColumn,
  shardTable,
  tableEngine,
  type FactLayout,
  type StoredColumn,
} from '../schema/fact-table.ts'
import { rowsTable } from '../values/value-tables.ts'
import { rolledDimensions, type RolledDimension } from './grains.ts'
import { sumColumns } from './sums.ts'

export const rollupTable = 'metric_rollup'

/** The number of no block: a row for all blocks of a day together. */
export const everyBlock = 255

const keyColumns: readonly StoredColumn[] = [
  plainColumn('metric', sql`LowCardinality(String)`, 'Key of the metric.'),
  plainColumn('prefilter', sql`UInt8`, '1: of results that pass the prefilter.'),
  plainColumn(
    'grain',
    sql`UInt8`,
    'By which dimensions: 0 none, 3 ISP, 4 ISP and package, 1 those of agents, 2 every one.',
  ),
  plainColumn('whole', sql`UInt8`, '1: all blocks of the schedule together.'),
  plainColumn('panel', sql`UInt32`, 'Number of the panel the results were ingested under.'),
  plainColumn('day', sql`Date`, 'Day by the clocks of the agents.'),
  plainColumn('build', sql`UInt64`, 'Number of the build; PostgreSQL says which are good.'),
  plainColumn('expires', sql`Date`, 'Day from which on the results are not kept.'),
  plainColumn('block', sql`UInt8`, 'Block of the schedule; 255 for all of them.'),
]

export const rollupColumns = (catalog: Pick<Catalog, 'dimensions'>, database: string): readonly StoredColumn[] => [
  ...keyColumns,
  ...rolledDimensions(catalog).map((dimension) =>
    plainColumn(dimension.column, typeOf(dimension), 'A dimension; see docs/metrics.md.'),
  ),
  ...sumColumns(database).map(({ name, type }) => plainColumn(name, type, 'Of the results of the row.')),
]

function typeOf({ source }: RolledDimension): Sql {
  if (source.kind === 'isp' || source.kind === 'package') return sql`UInt32`
  return source.kind === 'column' && source.number ? sql`Nullable(UInt16)` : sql`LowCardinality(Nullable(String))`
}

/**
 * No engine that puts rows together by itself: a build that is being made must not replace the one that is asked. Rows are
 * long, so few of them make a granule. On the disk before a build is called good: after a loss of power nobody would notice
 * that sums of intact results are gone.
 */
export function createRollupTable(catalog: Catalog, database: string, layout: FactLayout): Sql {
  const table = rowsTable(rollupTable, layout === 'single')
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(table)} (
  ${join(rollupColumns(catalog, database).map(columnDeclaration), ',\n  ')}
)
ENGINE = ${tableEngine(database, table, layout)}
PARTITION BY toYYYYMM(day)
ORDER BY (metric, prefilter, grain, whole, panel, day, build)
TTL expires
SETTINGS index_granularity = 128, ${onDisk}
COMMENT ${literal('Sums of results by day, for long ranges.')}`
}

const onDisk = sql`fsync_after_insert = 1, fsync_part_directory = 1`

/** For a table of before. */
export const keepOnDisk = (database: string, table: string): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} MODIFY SETTING ${onDisk}`

/**
 * A build lets each shard put its own results together and keep the sums (`parallel_distributed_insert_select`): a day is on
 * all of them, and an agent is in those of its own shard only. The key is for rows that come by way of another.
 */
export function createDistributedRollupTable(database: string, cluster: string): Sql {
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(rollupTable)}
AS ${identifier(database)}.${identifier(shardTable(rollupTable))}
ENGINE = Distributed(${literal(cluster)}, ${literal(database)}, ${literal(shardTable(rollupTable))}, toUInt16(day))`
}
