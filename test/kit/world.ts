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

/**
 * The parts of the stores that belong to one test file: a PostgreSQL database, a ClickHouse database and a prefix in
 * the bucket.
 */
export type World = {
  readonly name: string
  readonly environment: Record<string, string>
  /** The URL of the PostgreSQL database, for a superuser. Row-level security does not apply to a superuser. */
  readonly superuserUrl: string
  /** All events that the instances of this world have emitted. */
  readonly observations: Observation[]
  readonly operate: <Result>(work: (operator: Operator) => Promise<Result>) => Promise<Result>
  /** A ClickHouse client that uses the user of `role`. Closing the world closes the client. */
  readonly engine: (role: ClickHouseRole) => ClickHouse
  /** Starts an instance on free ports. Closing the world stops it. */
  readonly serve: (
    overrides?: Record<string, string>,
    extraRoutes?: readonly (Route | PublicRoute)[],
  ) => Promise<Service>
  readonly close: () => Promise<void>
}

export type WorldOptions = {
  /** If true, the world also has the fact tables in ClickHouse. */
  clickhouse?: boolean
  /** The stores to use instead of the stores of the run. For tests that break their stores. */
  stack?: Pick<TestRun, 'environment' | 'superuserUrl'>
}

export async function openWorld({ clickhouse = false, stack }: WorldOptions = {}): Promise<World> {
  const run = inject('run')
  const { environment: engines, superuserUrl } = stack ?? run
  const name = `${run.prefix}_${randomBytes(4).toString('hex')}`
  await createDatabase(name, run, superuserUrl, stack !== undefined)
  const environment = worldEnvironment(engines, name)
  const operate: World['operate'] = (work) => asOperator(environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', work)
  // CREATE DATABASE from a template does not copy the template's database privileges.
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
        // Empty the bucket last: ClickHouse may write an export until its tables are dropped.
        await emptyBucket(environment)
      }
    },
  }
}

/**
 * Copies the migrated template. Only the stores of the run have the template. In other stores, this function creates an
 * empty database and migrates it.
 */
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
  // Tests of rollups build them explicitly. No other test needs rollups.
  BROADGAUGE_ROLLUPS: 'false',
})

/**
 * Drops the databases of a world. Throws if the service has left connections open. ClickHouse's own sessions do not
 * count, because ClickHouse keeps a session open for a dictionary that it has dropped.
 */
async function dropDatabases(name: string, environment: Record<string, string>, superuserUrl: string): Promise<void> {
  const clickhouse = openClickHouse(clickHouseOptions(readSettings(environment), 'ADMIN'))
  for (const node of clickhouse.nodes) await node.command({ query: `DROP DATABASE IF EXISTS ${name} SYNC` })
  await clickhouse.close()
  const open = await openConnections(name, superuserUrl)
  await runSql(superuserUrl, `DROP DATABASE ${name} WITH (FORCE)`)
  if (open.length > 0) throw new Error(`connections left open: ${open.join(', ')}`)
}

/**
 * The names of clients that are still connected after three seconds. Returns earlier if no client is connected. The
 * server needs a moment to end a connection that its client has closed.
 */
async function openConnections(name: string, superuserUrl: string): Promise<string[]> {
  const text = `SELECT application_name FROM pg_stat_activity WHERE datname = $1 AND usename <> 'bg_dictionary'`
  const deadline = performance.now() + 3_000
  for (;;) {
    // Check the deadline before the query. If the machine froze during the query, the result may be from before the
    // freeze, and the loop must query again.
    const isLast = performance.now() > deadline
    const open = await runSql<{ application_name: string }>(superuserUrl, text, [name])
    if (open.length === 0 || isLast) return open.map((one) => one.application_name)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
