import { stackDown, stackStatus, stackUp } from '../../devstack/index.ts'
import type { Settings } from '../../src/serve/config-schema.ts'
import { readSettings } from '../../src/serve/config.ts'
import { migrate } from '../../src/serve/tasks/migrate.ts'

export type Engines = {
  readonly environment: Record<string, string>
  readonly settings: Settings
  readonly superuserUrl: string
  /** Process id of ClickHouse. */
  readonly enginePid: number
  readonly close: () => Promise<void>
}

/**
 * Opens separate stores for a bench, empty and migrated. The service that uses them listens on `port` and the next two ports.
 */
export async function openEngines(name: string, port: number, shards = 1): Promise<Engines> {
  await stackDown({ name, wipe: true }).catch(() => {})
  const stack = await stackUp({ name, shards })
  const environment = {
    ...stack.environment,
    BROADGAUGE_PORT: String(port),
    BROADGAUGE_INGEST_PORT: String(port + 1),
    BROADGAUGE_OPS_PORT: String(port + 2),
    BROADGAUGE_LOG_LEVEL: 'warn',
  }
  const settings = readSettings(environment)
  await migrate(settings)
  const status = (await stackStatus({ name })).find(({ component }) => component === 'clickhouse-1')
  return {
    environment,
    settings,
    superuserUrl: stack.superuserUrl,
    enginePid: status?.pid ?? 0,
    close: () => stackDown({ name, wipe: true }),
  }
}
