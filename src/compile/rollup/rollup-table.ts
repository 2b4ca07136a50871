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
import { sumColumns } from './rollup-columns.ts'

export const rollupTable = 'metric_rollup'

/** The number in the column `block` of rows that cover all schedule blocks of a day together. */
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
 * The engine is a plain MergeTree: with a merging engine, an unfinished build would replace the build that queries read. Rows
 * are long, so a granule has few rows. ClickHouse fsyncs the rows before a build is published. Otherwise, after a power loss,
 * rollup rows could be missing while the results are intact, and no check would notice.
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
SETTINGS index_granularity = 128, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT ${literal('Daily aggregates of results, for long ranges.')}`
}

/**
 * In a build, each shard rolls up its own results and stores the rows locally (`parallel_distributed_insert_select`). A day
 * has rows on all shards, and the results of an agent are on only one. The sharding key applies to rows that are inserted
 * through another node.
 */
export function createDistributedRollupTable(database: string, cluster: string): Sql {
  return sql`CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(rollupTable)}
AS ${identifier(database)}.${identifier(shardTable(rollupTable))}
ENGINE = Distributed(${literal(cluster)}, ${literal(database)}, ${literal(shardTable(rollupTable))}, toUInt16(day))`
}
