import type { ClickHouseClient } from '@clickhouse/client'
import { identifier, statement } from '../../../base/sql.ts'
import {
  findMigrationFiles,
  pendingMigrations,
  type AppliedMigration,
  type MigrationFile,
} from '../../migration-files.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { convergeFactTables, hasRollupTable } from './converge-fact-tables.ts'
import { convergeRetention } from './converge-retention.ts'
import { retentions, type Followed } from './tables.ts'
import { checkTopology } from './topology.ts'

export type ClickHouseMigrationOptions = Followed & {
  /** The PostgreSQL database that the dictionaries read. */
  postgresDatabase: string
  /**
   * Called if a node has no rollup table. It must delete PostgreSQL's records of rollups; otherwise queries would read rollups
   * that no longer exist.
   */
  beforeNewRollups: () => Promise<void>
}

/**
 * Brings every node up to date. The catalogue defines the fact tables, and the numbered files define everything else. The
 * function migrates node by node, because `ON CLUSTER` needs Keeper. The caller must hold the migration lock. Returns a list
 * of the changes.
 */
export async function migrateClickHouse(
  clickhouse: ClickHouse,
  options: ClickHouseMigrationOptions,
): Promise<string[]> {
  const files = await findMigrationFiles('clickhouse')
  const layout = await checkTopology(clickhouse)
  if (!(await hasRollupTable(clickhouse))) await options.beforeNewRollups()
  const done: string[] = []
  for (const [index, node] of clickhouse.nodes.entries()) {
    await node.command({ query: `CREATE DATABASE IF NOT EXISTS ${databaseName(clickhouse)}` })
    const changes = [
      ...(await convergeFactTables(node, clickhouse, options, layout)),
      ...(await runPending(node, clickhouse, files, options)),
      ...(await convergeRetention(node, clickhouse.database, retentions(layout, options))),
    ]
    done.push(...changes.map((change) => (clickhouse.cluster === null ? change : `node ${index + 1}: ${change}`)))
  }
  return done
}

async function runPending(
  node: ClickHouseClient,
  clickhouse: ClickHouse,
  files: MigrationFile[],
  options: ClickHouseMigrationOptions,
): Promise<string[]> {
  const ledger = `${databaseName(clickhouse)}.schema_migrations`
  await node.command({
    query: `CREATE TABLE IF NOT EXISTS ${ledger} (name String, checksum String, applied_at DateTime DEFAULT now())
            ENGINE = MergeTree ORDER BY name`,
  })
  const result = await node.query({ query: `SELECT name, checksum FROM ${ledger}`, format: 'JSONEachRow' })
  const pending = pendingMigrations(files, await result.json<AppliedMigration>())
  for (const file of pending) {
    for (const query of statementsOf(file, clickhouse, options)) await runStatement(node, file.name, query)
    const line = { name: file.name, checksum: file.checksum }
    await node.insert({
      table: ledger,
      values: [line],
      format: 'JSONEachRow',
      clickhouse_settings: { async_insert: 0 },
    })
  }
  return pending.map(({ name }) => name)
}

async function runStatement(node: ClickHouseClient, name: string, query: string): Promise<void> {
  try {
    await node.command({ query })
  } catch (error) {
    // ClickHouse's DDL is not transactional. The earlier statements of the file stay in effect, so each statement must be
    // idempotent.
    throw new Error(`migration ${name} failed; repair the cause and run it again`, { cause: error })
  }
}

/** Returns the statements of a file. The only placeholders in a file are `{{database}}` and `{{postgres_database}}`. */
function statementsOf(
  { text }: MigrationFile,
  { database }: ClickHouse,
  options: ClickHouseMigrationOptions,
): string[] {
  return text
    .replaceAll('{{database}}', plainName(database))
    .replaceAll('{{postgres_database}}', quotable(options.postgresDatabase))
    .split(/;\s*$/m)
    .map((query) => query.trim())
    .filter((query) => query !== '')
}

/**
 * The files contain the name between quotes. Throws if the name needs escaping there. Names of PostgreSQL databases may
 * contain hyphens.
 */
function quotable(name: string): string {
  if (!/^[\w-]+$/.test(name)) throw new Error(`the name of the PostgreSQL database has odd characters: ${name}`)
  return name
}

const plainName = (name: string): string => statement(identifier(name)).text

const databaseName = ({ database }: ClickHouse): string => plainName(database)
