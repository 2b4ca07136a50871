import { findMigrationFiles, pendingMigrations, type AppliedMigration } from '../../engine/migration-files.ts'
import { examinePostgres, pingPostgres } from '../../engine/postgres/health.ts'
import { asOperator, operate } from '../../engine/postgres/operator/operator.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import { adminUrl } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { Ailment, compareClocks, examine, type Finding } from './finding.ts'

const oldest = 150_000

export async function checkPostgres(settings: Settings): Promise<Finding[]> {
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 1, observe: () => {} })
  try {
    return [
      await examine('PostgreSQL, as the service', async () => {
        await pingPostgres(postgres)
        const { version, number } = await examinePostgres(postgres)
        if (number < oldest) throw new Ailment(`it is version ${version}: upgrade to 15 or later`)
        return `version ${version}`
      }),
      await examine('PostgreSQL, texts', async () => {
        const { encoding, locale } = await examinePostgres(postgres)
        if (encoding === 'UTF8' && locale !== 'C') return `${encoding}, ${locale}`
        throw new Ailment(
          `the database is ${encoding}, ${locale}: make one with ENCODING 'UTF8' LOCALE 'C.UTF-8', and copy`,
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

/** Five may be held by what a copy does by itself; with fewer than as many again, requests wait for them. */
const connectionsMin = 10

function checkConnections({ BROADGAUGE_POSTGRES_POOL_MAX: most }: Settings): string {
  if (most >= connectionsMin) return `at most ${most}`
  throw new Ailment(`BROADGAUGE_POSTGRES_POOL_MAX is ${most}: give a copy of serve ${connectionsMin} or more`)
}

async function checkMigrations(settings: Settings): Promise<string> {
  const applied = await asOperator(adminUrl(settings), (operator) =>
    operate<AppliedMigration>(operator, 'SELECT name, checksum FROM schema_migrations ORDER BY name'),
  )
  return upToDate(pendingMigrations(await findMigrationFiles('postgres'), applied))
}

export function upToDate(pending: readonly { name: string }[]): string {
  if (pending.length === 0) return 'up to date'
  throw new Ailment(`${pending.map(({ name }) => name).join(', ')} has not run: broadgauge migrate`)
}
