import {
  changedFunctions,
  findFunctionFiles,
  findMigrationFiles,
  pendingMigrations,
  type AppliedMigration,
} from '../../engine/migration-files.ts'
import { examinePostgres, pingPostgres } from '../../engine/postgres/health.ts'
import { asOperator, operate } from '../../engine/postgres/operator/operator.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import { adminUrl } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { Problem, compareClocks, examine, type Finding } from './finding.ts'

const oldest = 150_000

export async function checkPostgres(settings: Settings): Promise<Finding[]> {
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 1, observe: () => {} })
  try {
    return [
      await examine('PostgreSQL, as the service', async () => {
        await pingPostgres(postgres)
        const { version, number } = await examinePostgres(postgres)
        if (number < oldest) throw new Problem(`PostgreSQL has version ${version}; upgrade it to 15 or later`)
        return `version ${version}`
      }),
      await examine('PostgreSQL, texts', async () => {
        const { encoding, locale } = await examinePostgres(postgres)
        if (encoding === 'UTF8' && locale !== 'C') return `${encoding}, ${locale}`
        throw new Problem(
          `the database has encoding ${encoding} and locale ${locale}; create one with ENCODING 'UTF8' LOCALE 'C.UTF-8' and copy the data`,
        )
      }),
      await examine('PostgreSQL, clock', async () => {
        const askedAt = Date.now()
        const { now_ms: theirs } = await examinePostgres(postgres)
        return compareClocks(theirs, askedAt, Date.now())
      }),
      await examine('PostgreSQL, connections', async () => checkConnections(settings)),
      await examine('PostgreSQL, migrations', () => checkMigrations(settings)),
    ]
  } finally {
    await postgres.close()
  }
}

/**
 * Minimum of BROADGAUGE_POSTGRES_POOL_MAX: five connections for the jobs of an instance and five for requests. With fewer,
 * requests wait for connections.
 */
const connectionsMin = 10

function checkConnections({ BROADGAUGE_POSTGRES_POOL_MAX: most }: Settings): string {
  if (most >= connectionsMin) return `at most ${most} connections`
  throw new Problem(
    `BROADGAUGE_POSTGRES_POOL_MAX is ${most}; an instance of serve needs ${connectionsMin} or more connections`,
  )
}

async function checkMigrations(settings: Settings): Promise<string> {
  const applied = await asOperator(adminUrl(settings), (operator) =>
    operate<AppliedMigration>(operator, 'SELECT name, checksum FROM schema_migrations ORDER BY name'),
  )
  const remark = upToDate(pendingMigrations(await findMigrationFiles('postgres'), applied))
  const others = changedFunctions(await findFunctionFiles(), applied)
  if (others.length === 0) return remark
  const names = others.map(({ name }) => name).join(', ')
  throw new Problem(
    `the database has other versions of these files: ${names}; run broadgauge migrate of the newest release in use`,
  )
}

export function upToDate(pending: readonly { name: string }[]): string {
  if (pending.length === 0) return 'up to date'
  throw new Problem(`not applied: ${pending.map(({ name }) => name).join(', ')}; run broadgauge migrate`)
}
