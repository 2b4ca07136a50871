import type { ZodError } from 'zod'
import type { Quotas } from '../base/quotas.ts'
import { UserFacingError } from '../base/fault.ts'
import type { ClickHouseOptions } from '../engine/clickhouse/clickhouse.ts'
import type { ObjectsOptions } from '../engine/objects/objects.ts'
import type { BaseUrl } from '../http/server/routing.ts'
import { configSchema, type Settings } from './config-schema.ts'

/** Reads the settings. Throws a single error that lists all invalid settings. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const ours = Object.entries(environment).filter(([name]) => name.startsWith('BROADGAUGE_') && !isToolSetting(name))
  const result = configSchema.safeParse(Object.fromEntries(ours))
  const faults = result.success ? pairFaults(result.data) : schemaFaults(result.error)
  if (!result.success || faults.length > 0) throw new ConfigError(faults)
  return result.data
}

export class ConfigError extends UserFacingError {
  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  }
}

/**
 * Returns true for settings of the development tools and of callers' commands, which have the same prefix as the service's
 * settings.
 */
const isToolSetting = (name: string): boolean => /^BROADGAUGE_(TEST|DEVSTACK|DEMO|CALLER|FAULTS)_/.test(name)

function schemaFaults(error: ZodError): string[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${key}: no such setting`)
    // The message does not contain the value, which may be a secret.
    return [`${issue.path.join('.')}: ${issue.code === 'invalid_type' ? 'is missing' : issue.message}`]
  })
}

function pairFaults(settings: Settings): string[] {
  const faults: string[] = []
  if ((settings.BROADGAUGE_TLS_CERT_FILE === undefined) !== (settings.BROADGAUGE_TLS_KEY_FILE === undefined)) {
    faults.push('BROADGAUGE_TLS_CERT_FILE, BROADGAUGE_TLS_KEY_FILE: set both or neither')
  }
  if (settings.BROADGAUGE_CLICKHOUSE_URL.length > 1 && settings.BROADGAUGE_CLICKHOUSE_CLUSTER === undefined) {
    faults.push('BROADGAUGE_CLICKHOUSE_CLUSTER: is required if BROADGAUGE_CLICKHOUSE_URL lists several nodes')
  }
  return faults
}

export type ClickHouseRole = 'QUERY' | 'STREAM' | 'DICTIONARY' | 'INGEST' | 'EXPORT' | 'ADMIN'

export function clickHouseOptions(settings: Settings, role: ClickHouseRole): ClickHouseOptions {
  const user = settings[`BROADGAUGE_CLICKHOUSE_${role}_USER`]
  if (user === undefined) throw new ConfigError([`BROADGAUGE_CLICKHOUSE_${role}_USER: is required for this command`])
  return {
    urls: settings.BROADGAUGE_CLICKHOUSE_URL,
    database: settings.BROADGAUGE_CLICKHOUSE_DATABASE,
    cluster: settings.BROADGAUGE_CLICKHOUSE_CLUSTER ?? null,
    user,
    password: settings[`BROADGAUGE_CLICKHOUSE_${role}_PASSWORD`] ?? '',
  }
}

/** The ClickHouse users that run callers' queries. Row policies restrict what these users can read. */
export const usersForCallers = (settings: Settings): string[] =>
  (['QUERY', 'STREAM', 'EXPORT'] as const).map((role) => clickHouseOptions(settings, role).user)

export function quotasOf(settings: Settings): Quotas {
  const quotaOf = (subject: 'ORGANISATION' | 'TOKEN') => ({
    requestsPerSecond: settings[`BROADGAUGE_${subject}_REQUESTS_PER_SECOND`],
    queriesAtOnce: settings[`BROADGAUGE_${subject}_QUERIES`],
    engineSeconds: settings[`BROADGAUGE_${subject}_ENGINE_SECONDS`],
  })
  return { organisation: quotaOf('ORGANISATION'), token: quotaOf('TOKEN') }
}

export const objectsOptions = (settings: Settings): ObjectsOptions => ({
  endpoint: settings.BROADGAUGE_S3_ENDPOINT ?? null,
  publicEndpoint: settings.BROADGAUGE_S3_PUBLIC_ENDPOINT ?? null,
  region: settings.BROADGAUGE_S3_REGION,
  bucket: settings.BROADGAUGE_S3_BUCKET,
  prefix: settings.BROADGAUGE_S3_PREFIX,
  pathStyle: settings.BROADGAUGE_S3_PATH_STYLE,
  checksums: settings.BROADGAUGE_S3_CHECKSUMS,
  accessKeyId: settings.BROADGAUGE_S3_ACCESS_KEY_ID,
  secretAccessKey: settings.BROADGAUGE_S3_SECRET_ACCESS_KEY,
})

export function adminUrl(settings: Settings): string {
  const url = settings.BROADGAUGE_POSTGRES_ADMIN_URL
  if (url === undefined) throw new ConfigError(['BROADGAUGE_POSTGRES_ADMIN_URL: is required for this command'])
  return url
}

export function baseUrl(text: string): BaseUrl {
  const url = text.startsWith('/') ? null : new URL(text)
  const path = url?.pathname ?? text
  return { host: url?.host ?? null, prefix: path.replace(/\/+$/, '') || '/' }
}
