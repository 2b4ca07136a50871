import { bind, identifier, sql, statement } from '../../base/sql.ts'
import { catalog } from '../../catalog/catalog.ts'
import type { FactLayout } from '../../compile/schema/fact-table.ts'
import { rowPolicies } from '../../compile/schema/row-policies.ts'
import {
  openClickHouse,
  mapStoreErrors,
  type ClickHouse,
  type ClickHouseNode,
} from '../../engine/clickhouse/clickhouse.ts'
import { queryNode } from '../../engine/clickhouse/health.ts'
import { findPending } from '../../engine/clickhouse/schema/find-pending.ts'
import { findByMaintenance } from '../../engine/clickhouse/ingest/run-maintenance.ts'
import { checkTopology } from '../../engine/clickhouse/schema/topology.ts'
import { findMigrationFiles, pendingMigrations, type AppliedMigration } from '../../engine/migration-files.ts'
import { clickHouseOptions, usersForCallers } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { upToDate } from './check-postgres.ts'
import { Problem, compareClocks, examine, type Finding } from './finding.ts'

/** Checks what concerns all ClickHouse users. Connects as the admin user. */
export async function checkEngine(settings: Settings): Promise<Finding[]> {
  const clickhouse = openClickHouse(clickHouseOptions(settings, 'ADMIN'))
  const users = usersForCallers(settings)
  try {
    let layout: FactLayout | null = null
    const findings = [
      await examine('ClickHouse, nodes', async () => {
        layout = await checkTopology(clickhouse)
        return `nodes: ${clickhouse.nodes.length}, tables: ${layout}`
      }),
    ]
    for (const [index, node] of clickhouse.nodes.entries()) {
      const name = `ClickHouse node ${index + 1}`
      findings.push(
        await examine(`${name}, clock`, () => checkClock(node)),
        await examine(`${name}, migrations`, () => checkMigrations(clickhouse, node)),
        await examine(`${name}, tables`, () => checkTables(settings, clickhouse, node, layout)),
        await examine(`${name}, dictionaries`, () => checkDictionaries(clickhouse, node)),
        await examine(`${name}, row policies`, () => checkRowPolicies(clickhouse, node, users)),
      )
    }
    return findings
  } finally {
    await clickhouse.close()
  }
}

async function checkClock(node: ClickHouseNode): Promise<string> {
  const askedAt = Date.now()
  const theirs = Number(await queryNode(node, 'SELECT toUnixTimestamp64Milli(now64(3))'))
  return compareClocks(theirs, askedAt, Date.now())
}

async function checkMigrations({ database }: ClickHouse, node: ClickHouseNode): Promise<string> {
  const ledger = sql`SELECT name, checksum FROM ${identifier(database)}.schema_migrations`
  const applied = await findByMaintenance<AppliedMigration>(node, ledger)
  return upToDate(pendingMigrations(await findMigrationFiles('clickhouse'), applied))
}

/**
 * Checks that the tables are as this release creates them. Tables that depend on the catalogue and the settings have no
 * migration records: a release may change them without a migration file.
 */
async function checkTables(
  settings: Settings,
  clickhouse: ClickHouse,
  node: ClickHouseNode,
  layout: FactLayout | null,
): Promise<string> {
  // If there is no layout, the check of the nodes has already reported the reason.
  if (layout === null) return 'not checked, because the check of the nodes failed'
  const followed = { catalog, resultDays: settings.BROADGAUGE_RETENTION_DAYS }
  const pending = await mapStoreErrors(() => findPending(node, clickhouse, layout, followed))
  if (pending.length === 0) return 'as the catalogue and the settings require'
  throw new Problem(`not up to date: ${firstOf(pending)}; run broadgauge migrate`)
}

/**
 * Checks that no dictionary failed to load. ClickHouse loads a dictionary on first use, so a dictionary may be not loaded yet.
 */
async function checkDictionaries({ database }: ClickHouse, node: ClickHouseNode): Promise<string> {
  const found = await findByMaintenance<{ name: string; status: string; fault: string }>(
    node,
    sql`SELECT name, toString(status) AS status, substring(last_exception, 1, 300) AS fault FROM system.dictionaries
WHERE database = ${bind('String', database)}`,
  )
  const failing = found.filter(({ status, fault }) => status.startsWith('FAILED') || fault !== '')
  const [worst] = failing
  if (found.length === 0) throw new Problem('the database has no dictionaries; run broadgauge migrate')
  if (worst === undefined) return `${found.length} dictionaries`
  throw new Problem(
    `${failing.map(({ name }) => name).join(', ')} cannot be loaded; check the named collection broadgauge_postgres: ${worst.fault}`,
  )
}

async function checkRowPolicies(
  { database, cluster }: ClickHouse,
  node: ClickHouseNode,
  users: readonly string[],
): Promise<string> {
  const present = await findByMaintenance<{ table: string; filter: string; users: string[] }>(
    node,
    sql`SELECT table, select_filter AS filter, apply_to_list AS users FROM system.row_policies
WHERE database = ${bind('String', database)}`,
  )
  const lacks = rowPolicies(catalog, cluster !== null).filter(({ table, filter }) => {
    const text = statement(filter).text
    const bound = new Set(
      present.filter((one) => one.table === table && one.filter === text).flatMap((one) => one.users),
    )
    return users.some((user) => !bound.has(user))
  })
  if (lacks.length === 0) return 'present on every table'
  throw new Problem(`missing on ${firstOf(lacks.map(({ table }) => table))}; broadgauge row-policies prints them`)
}

const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`
