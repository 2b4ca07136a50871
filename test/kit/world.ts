import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { Observation } from '../../src/base/observe.ts'
import { openClickHouse, type ClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { revokeTemporary } from '../../src/engine/postgres/schema/migrate.ts'
import { asOperator, type Operator } from '../../src/engine/postgres/operator/operator.ts'
import type { PublicRoute, Route } from '../../src/http/define-route.ts'
import { clickHouseOptions, readSettings, type ClickHouseRole } from '../../src/serve/config.ts'
import { migrate } from '../../src/serve/tasks/migrate.ts'
import { startService, type Service } from '../../src/serve/wiring/service.ts'
import type { TestRun } from './global-setup.ts'
import { emptyBucket } from './bucket.ts'
import { onDatabase, runSql } from './run-sql.ts'

/** One test file's own corner of the stores: a PostgreSQL database, a ClickHouse database, a bucket prefix. */
export type World = {
  readonly name: string
  readonly environment: Record<string, string>
  /** PostgreSQL as its superuser, whom row-level security does not bind. */
  readonly superuserUrl: string
  /** Everything the services of this world have said happened. */
  readonly observations: Observation[]
  readonly operate: <Result>(work: (operator: Operator) => Promise<Result>) => Promise<Result>
  /** The engine as one of its users; closed with the world. */
  readonly engine: (role: ClickHouseRole) => ClickHouse
  /** A service on ports of its own; stopped with the world. */
  readonly serve: (
    overrides?: Record<string, string>,
    extraRoutes?: readonly (Route | PublicRoute)[],
  ) => Promise<Service>
  readonly close: () => Promise<void>
}

export type WorldOptions = {
  /** Creates the fact tables too. */
  clickhouse?: boolean
  /** Engines other than the run's own, for tests that break them. */
  stack?: Pick<TestRun, 'environment' | 'superuserUrl'>
}

export async function openWorld({ clickhouse = false, stack }: WorldOptions = {}): Promise<World> {
  const run = inject('run')
  const { environment: engines, superuserUrl } = stack ?? run
  const name = `${run.prefix}_${randomBytes(4).toString('hex')}`
  await createDatabase(name, run, superuserUrl, stack !== undefined)
  const environment = worldEnvironment(engines, name)
  const operate: World['operate'] = (work) => asOperator(environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', work)
  // A template does not carry the rights on a database.
  await operate(({ client }) => revokeTemporary(client))
  if (clickhouse || stack !== undefined) await migrate(readSettings(environment))

  const observations: Observation[] = []
  const services: Service[] = []
  const clients: ClickHouse[] = []
  return {
    name,
    environment,
    superuserUrl: onDatabase(superuserUrl, name),
    observations,
    operate,
    engine: (role) => {
      const client = openClickHouse(clickHouseOptions(readSettings(environment), role))
      clients.push(client)
      return client
    },
    serve: async (overrides = {}, extraRoutes = []) => {
      const settings = readSettings({ ...environment, ...overrides })
      const { routes } = await import('../../src/http/routes/index.ts')
      const service = await startService(settings, (observation) => void observations.push(observation), [
        ...routes,
        ...extraRoutes,
      ])
      services.push(service)
      return service
    },
    close: async () => {
      await Promise.all(services.map((service) => service.stop('the test is over')))
      await Promise.all(clients.map((client) => client.close()))
      try {
        await dropDatabases(name, environment, superuserUrl)
      } finally {
        // Last: the engine may still be writing a file of tables that are not gone yet.
        await emptyBucket(environment)
      }
    },
  }
}

/** Copies the migrated template; other engines have none and are migrated. */
async function createDatabase(
  name: string,
  { template }: TestRun,
  superuserUrl: string,
  empty: boolean,
): Promise<void> {
  await runSql(superuserUrl, `CREATE DATABASE ${name} OWNER bg_admin ${empty ? '' : `TEMPLATE ${template}`}`)
}

const worldEnvironment = (engines: Record<string, string>, name: string): Record<string, string> => ({
  ...engines,
  BROADGAUGE_POSTGRES_URL: onDatabase(engines['BROADGAUGE_POSTGRES_URL'] ?? '', name),
  BROADGAUGE_POSTGRES_ADMIN_URL: onDatabase(engines['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', name),
  BROADGAUGE_CLICKHOUSE_DATABASE: name,
  BROADGAUGE_S3_PREFIX: `${name}/`,
  BROADGAUGE_PORT: '0',
  BROADGAUGE_INGEST_PORT: '0',
  BROADGAUGE_OPS_PORT: '0',
  BROADGAUGE_DRAIN_SECONDS: '5',
  // Tests of rollups build them themselves; to all others they are work beside the point.
  BROADGAUGE_ROLLUPS: 'false',
})

/** ClickHouse keeps a session open for a dictionary it has dropped; any other connection left open is a leak. */
async function dropDatabases(name: string, environment: Record<string, string>, superuserUrl: string): Promise<void> {
  const clickhouse = openClickHouse(clickHouseOptions(readSettings(environment), 'ADMIN'))
  for (const node of clickhouse.nodes) await node.command({ query: `DROP DATABASE IF EXISTS ${name} SYNC` })
  await clickhouse.close()
  const open = await openConnections(name, superuserUrl)
  await runSql(superuserUrl, `DROP DATABASE ${name} WITH (FORCE)`)
  if (open.length > 0) throw new Error(`connections left open: ${open.join(', ')}`)
}

/** Who is still connected. A connection that was closed takes a moment to be gone on the server's side. */
async function openConnections(name: string, superuserUrl: string): Promise<string[]> {
  const text = `SELECT application_name FROM pg_stat_activity WHERE datname = $1 AND usename <> 'bg_dictionary'`
  const deadline = performance.now() + 3_000
  for (;;) {
    // Before it looks: what it sees after a standstill of the machine may be what was before it.
    const isLast = performance.now() > deadline
    const open = await runSql<{ application_name: string }>(superuserUrl, text, [name])
    if (open.length === 0 || isLast) return open.map((one) => one.application_name)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
