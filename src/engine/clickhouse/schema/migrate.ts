import type { ClickHouseClient } from '@clickhouse/client'
import { identifier, statement } from '../../../base/sql.ts'
import {
  findMigrationFiles,
  pendingMigrations,
  type AppliedMigration,
  type MigrationFile,
} from '../../migration-files.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { convergeFactTables, convergeIndexes } from './converge-fact-tables.ts'
import { convergeRetention } from './converge-retention.ts'
import { convergeSums, hasSums } from './converge-rollups.ts'
import { retentions, type Followed } from './tables.ts'
import { checkTopology } from './topology.ts'

export type ClickHouseMigrationOptions = Followed & {
  /** Database of PostgreSQL that the dictionaries read. */
  postgresDatabase: string
  /** A node has no sums, and what PostgreSQL says of them would be believed all the same. */
  beforeNewSums: () => Promise<void>
}

/**
 * Brings every node up to date: the fact tables follow the catalogue, everything else the numbered files. Node by node,
 * because `ON CLUSTER` needs a Keeper; the caller holds the migration lock. Answers what was done.
 */
export async function migrateClickHouse(
  clickhouse: ClickHouse,
  options: ClickHouseMigrationOptions,
): Promise<string[]> {
  const files = await findMigrationFiles('clickhouse')
  const layout = await checkTopology(clickhouse)
  if (!(await hasSums(clickhouse))) await options.beforeNewSums()
  const done: string[] = []
  for (const [index, node] of clickhouse.nodes.entries()) {
    await node.command({ query: `CREATE DATABASE IF NOT EXISTS ${databaseName(clickhouse)}` })
    const changes = [
      ...(await convergeFactTables(node, clickhouse, options, layout)),
      ...(await convergeIndexes(node, clickhouse, options.catalog)),
      ...(await convergeSums(node, clickhouse)),
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
    // The engine's DDL is not transactional: statements before this one stay, so each must bear being run again.
    throw new Error(`migration ${name} failed; mend the cause and run it again`, { cause: error })
  }
}

/** `{{database}}` and `{{postgres_database}}` are the only things a file cannot know. */
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

/** Stands between quotes in the files; PostgreSQL's names may hold hyphens. */
function quotable(name: string): string {
  if (!/^[\w-]+$/.test(name)) throw new Error(`the name of the PostgreSQL database has odd characters: ${name}`)
  return name
}

const plainName = (name: string): string => statement(identifier(name)).text

const databaseName = ({ database }: ClickHouse): string => plainName(database)
