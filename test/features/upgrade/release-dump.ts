import { Client } from 'pg'
import { expect } from 'vitest'
import { openClickHouse, type ClickHouseNode } from '../../../src/engine/clickhouse/clickhouse.ts'
import { findFunctionFiles, findMigrationFiles, type MigrationFile } from '../../../src/engine/migration-files.ts'
import { runMigrations, underMigrationLock } from '../../../src/engine/postgres/schema/migrate.ts'
import { clickHouseOptions, readSettings } from '../../../src/serve/config.ts'
import { runSql } from '../../kit/run-sql.ts'
import type { World } from '../../kit/world.ts'

/** Both stores as a release has left them: its schema and a few rows. */
export type ReleaseDump = {
  /** Released numbered files never change, so their checksums identify them. */
  readonly numbered: readonly { readonly name: string; readonly checksum: string }[]
  readonly functions: readonly MigrationFile[]
  readonly postgres: {
    readonly tables: Readonly<Record<string, readonly unknown[]>>
    readonly sequences: Readonly<Record<string, string>>
  }
  /** The statements contain `{{world}}` instead of the name of the database. */
  readonly clickhouse: readonly { readonly name: string; readonly create: string; readonly rows: readonly string[] }[]
}

type Column = { relation: string; columns: string }
/** The tables and their stored columns. Partitions belong to their table, and generated columns are computed again. */
const findColumns = `SELECT c.relname AS relation, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition AND c.relpersistence = 'p'
    AND c.relname <> 'schema_migrations'
  GROUP BY 1 ORDER BY 1`
const findSequences = `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
  WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY 1`
/** Dictionaries need tables, and views need both. */
const findTables = (database: string) => `SELECT name, create_table_query AS create,
    engine LIKE '%MergeTree' OR engine IN ('Log', 'TinyLog') AS stores FROM system.tables WHERE database = '${database}'
  ORDER BY multiIf(engine LIKE '%View', 2, engine = 'Dictionary', 1, 0), name`

async function onNode<Result>(world: World, work: (node: ClickHouseNode) => Promise<Result>): Promise<Result> {
  const clickhouse = openClickHouse(clickHouseOptions(readSettings(world.environment), 'ADMIN'))
  try {
    return await work(clickhouse.nodes[0] as ClickHouseNode)
  } finally {
    await clickhouse.close()
  }
}

export async function dumpStores(world: World): Promise<ReleaseDump> {
  const sql = <Row extends Record<string, unknown>>(text: string) => runSql<Row>(world.superuserUrl, text)
  const tables: Record<string, unknown[]> = {}
  for (const { relation, columns } of await sql<Column>(findColumns)) {
    const rows = await sql<{ row: unknown }>(`SELECT to_json(t) AS row FROM (SELECT ${columns} FROM ${relation}) t`)
    if (rows.length > 0) tables[relation] = rows.map(({ row }) => row)
  }
  const sequences = await sql<{ name: string; last: string }>(findSequences)
  const clickhouse = await onNode(world, async (node) => {
    const found = await node.query({ query: findTables(world.name), format: 'JSONEachRow' })
    const all = await found.json<{ name: string; create: string; stores: boolean }>()
    return Promise.all(
      all.map(async ({ name, create, stores }) => {
        const query = `SELECT * FROM ${world.name}.${name}`
        const text = stores ? await (await node.query({ query, format: 'JSONEachRow' })).text() : ''
        const rows = text.split('\n').filter(Boolean)
        return { name, create: create.replaceAll(world.name, '{{world}}'), rows }
      }),
    )
  })
  const numbered = (await findMigrationFiles('postgres')).map(({ name, checksum }) => ({ name, checksum }))
  return {
    numbered,
    functions: await findFunctionFiles(),
    postgres: { tables, sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])) },
    clickhouse,
  }
}

/** Replaces everything in the stores of the world by the schema and the rows of the release. */
export async function restoreStores(world: World, dump: ReleaseDump): Promise<void> {
  const { environment, superuserUrl, name: database } = world
  for (const text of ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public AUTHORIZATION bg_admin'])
    await runSql(superuserUrl, text)
  await runSql(superuserUrl, 'GRANT USAGE ON SCHEMA public TO PUBLIC')
  const files = new Map((await findMigrationFiles('postgres')).map((file) => [file.name, file]))
  const numbered = dump.numbered.flatMap(({ name }) => files.get(name) ?? [])
  expect(numbered.map(({ name, checksum }) => ({ name, checksum }))).toEqual(dump.numbered)
  await underMigrationLock(environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', async (client) => {
    await client.query(
      `CREATE TABLE schema_migrations
       (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    await runMigrations(client, { numbered, functions: [...dump.functions] })
  })
  await restoreRows(superuserUrl, dump.postgres)
  await onNode(world, async (node) => {
    await node.command({ query: `DROP DATABASE IF EXISTS ${database} SYNC` })
    await node.command({ query: `CREATE DATABASE ${database}` })
    for (const { name, create, rows } of dump.clickhouse) {
      await node.command({ query: create.replaceAll('{{world}}', database) })
      const query = `INSERT INTO ${database}.${name} FORMAT JSONEachRow\n${rows.join('\n')}`
      if (rows.length > 0) await node.command({ query })
    }
  })
}

async function restoreRows(url: string, { tables, sequences }: ReleaseDump['postgres']): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: relations } = await client.query<Column>(findColumns)
    // Without triggers and foreign keys, the order of the tables does not matter.
    await client.query('BEGIN; SET LOCAL session_replication_role = replica')
    // Some migrations insert rows, which the dump contains too.
    for (const { relation, columns } of relations) {
      await client.query(`DELETE FROM ${relation}`)
      await client.query(
        `INSERT INTO ${relation} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${columns} FROM json_populate_recordset(NULL::${relation}, $1)`,
        [JSON.stringify(tables[relation] ?? [])],
      )
    }
    for (const [name, last] of Object.entries(sequences)) await client.query('SELECT setval($1, $2)', [name, last])
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}
