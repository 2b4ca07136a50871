import { z } from 'zod'
import { limits } from '../base/limits.ts'
import {
  baseUrl,
  flag,
  origins,
  port,
  postgresUrl,
  proxies,
  retention,
  share,
  text,
  urlList,
  wholeNumber,
  keptDaysMax,
} from './setting-types.ts'

/**
 * All settings. The service checks its environment against this schema at start. A test compares docs/configuration.md with it.
 */
export const configSchema = z.strictObject({
  BROADGAUGE_HOST: text.default('127.0.0.1').describe('Address that the data, metadata and ingest listeners bind to.'),
  BROADGAUGE_PORT: port.default(8080).describe('Port of the data and metadata interfaces.'),
  BROADGAUGE_INGEST_PORT: port.default(8081).describe('Port of the ingest interface.'),
  BROADGAUGE_OPS_HOST: text
    .default('127.0.0.1')
    .describe('Address that the operations listener binds to; keep it private.'),
  BROADGAUGE_OPS_PORT: port.default(8082).describe('Port of /healthz, /readyz and the Prometheus /metrics.'),
  BROADGAUGE_DATA_BASE_URL: baseUrl.default('/').describe('Base URL of the data interface: a path or an absolute URL.'),
  BROADGAUGE_METADATA_BASE_URL: baseUrl
    .default('/')
    .describe('Base URL of the metadata interface: a path or an absolute URL.'),
  BROADGAUGE_TLS_CERT_FILE: text
    .optional()
    .describe('Certificate chain (PEM). With the key, the listeners use HTTPS with TLS 1.2 and 1.3.'),
  BROADGAUGE_TLS_KEY_FILE: text
    .optional()
    .describe('Private key (PEM). The service reads both files again when they change.'),
  BROADGAUGE_TRUST_PROXY: proxies
    .default(0)
    .describe(
      'Number of proxies in front that add to X-Forwarded-For; true is 1. The entry of the outermost proxy is the caller.',
    ),
  BROADGAUGE_CORS_ORIGINS: origins.prefault('').describe('Origins, comma-separated, whose pages may call the service.'),
  BROADGAUGE_CONSOLE_ORIGINS: origins
    .prefault('')
    .describe(
      'Origins, comma-separated, of other services that this console may connect to. If empty, it connects only to this service.',
    ),
  BROADGAUGE_SESSION_HOURS: wholeNumber(1, 720).default(12).describe('Longest duration of a console session.'),
  BROADGAUGE_SESSION_IDLE_MINUTES: wholeNumber(15, 43_200)
    .default(60)
    .describe('A console session ends after this time without use.'),
  BROADGAUGE_SIGN_IN_FILE: text.optional().describe('JSON file with the OpenID Connect providers of organisations.'),
  BROADGAUGE_BODY_BYTES_MAX: wholeNumber(1024, 64 * 1024 * 1024)
    .default(256 * 1024)
    .describe('Largest request body of the data and metadata interfaces.'),
  BROADGAUGE_INGEST_REQUESTS_MAX: wholeNumber(2, 10_000)
    .default(32)
    .describe('Ingest requests that an instance accepts at once; an organisation may have half of them.'),
  // The default is one more than the limit of an organisation. So even if there is only one instance, the exports of one
  // organisation cannot block those of others.
  BROADGAUGE_EXPORTS_MAX: wholeNumber(0, 100)
    .default(3)
    .describe('Exports that one serve or worker writes at once; 0 leaves exports to other instances.'),
  BROADGAUGE_EXPORTS_PER_ORGANISATION_MAX: wholeNumber(1, 100)
    .default(2)
    .describe('Exports of one organisation that all instances together write at once.'),
  BROADGAUGE_EXPORTS_UNFINISHED_MAX: wholeNumber(1, 100_000)
    .default(1_000)
    .describe('Queued and running exports of one organisation; a further request gets 429.'),
  BROADGAUGE_EXPORT_DAYS: wholeNumber(1, 365).default(7).describe('Days that a finished export is kept.'),
  BROADGAUGE_QUERIES_MAX: wholeNumber(1, 10_000)
    .default(16)
    .describe(
      `Analytics queries that an instance runs at once; twice as many wait for up to ${limits.capacityWaitMs / 1_000} seconds, further ones get 503 at once.`,
    ),
  BROADGAUGE_ORGANISATION_QUERIES: share(4, 'Analytics queries that an organisation runs at once, over all instances.'),
  BROADGAUGE_TOKEN_QUERIES: share(4, 'Analytics queries that a token runs at once, over all instances.'),
  BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: share(
    100,
    'Requests per second of an organisation, over all instances.',
  ),
  BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: share(50, 'Requests per second of a token, over all instances.'),
  BROADGAUGE_ORGANISATION_ENGINE_SECONDS: share(
    120,
    'Seconds of ClickHouse time that an organisation may use per minute.',
  ),
  BROADGAUGE_TOKEN_ENGINE_SECONDS: share(120, 'Seconds of ClickHouse time that a token may use per minute.'),
  BROADGAUGE_SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300)
    .default(0)
    .describe(
      'Seconds that a stopping service is unready but still accepts requests, until load balancers have noticed.',
    ),
  BROADGAUGE_DRAIN_SECONDS: wholeNumber(0, 3600)
    .default(35)
    .describe('Seconds that a stopping service gives running requests to finish.'),
  BROADGAUGE_RETENTION_DAYS: retention
    .prefault('')
    .describe(
      'Days that results are kept, by test: httpget=1095,traceroute=90. Results of other tests are kept for ever. The setting takes effect with migrate; serve and worker need it too.',
    ),
  BROADGAUGE_ROLLUPS: flag
    .default(true)
    .describe('Whether this instance builds rollups; false leaves it to other instances.'),
  BROADGAUGE_AUDIT_DAYS: wholeNumber(1, keptDaysMax)
    .default(400)
    .describe('Days that the audit trail of analytics queries is kept; serve drops expired months.'),
  BROADGAUGE_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
  BROADGAUGE_OTLP_TRACES_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Collector for traces, OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces. If omitted, the service sends no traces.',
    ),
  BROADGAUGE_POSTGRES_URL: postgresUrl.describe(
    'URL of PostgreSQL, with a login role that is a member of broadgauge_service.',
  ),
  BROADGAUGE_POSTGRES_ADMIN_URL: postgresUrl
    .optional()
    .describe(
      'URL of PostgreSQL, with the role that owns the schema and is a member of broadgauge_operator; for commands, not for serve.',
    ),
  BROADGAUGE_POSTGRES_POOL_MAX: wholeNumber(1, 500)
    .default(20)
    .describe('Largest number of PostgreSQL connections of an instance.'),
  BROADGAUGE_CLICKHOUSE_URL: urlList.describe('HTTP addresses of all ClickHouse nodes, comma-separated.'),
  BROADGAUGE_CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/i)
    .default('broadgauge')
    .describe('Name of the ClickHouse database.'),
  BROADGAUGE_CLICKHOUSE_CLUSTER: text
    .optional()
    .describe('Name of the cluster that the nodes form; required if there are several.'),
  BROADGAUGE_CLICKHOUSE_QUERY_USER: text.describe("Read-only user that runs callers' queries."),
  BROADGAUGE_CLICKHOUSE_QUERY_PASSWORD: z.string().describe('Password of BROADGAUGE_CLICKHOUSE_QUERY_USER.'),
  BROADGAUGE_CLICKHOUSE_STREAM_USER: text.describe('Read-only user that runs queries with streamed responses.'),
  BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD: z.string().describe('Password of BROADGAUGE_CLICKHOUSE_STREAM_USER.'),
  BROADGAUGE_CLICKHOUSE_DICTIONARY_USER: text.describe('User that may only reload the dictionaries.'),
  BROADGAUGE_CLICKHOUSE_DICTIONARY_PASSWORD: z.string().describe('Password of BROADGAUGE_CLICKHOUSE_DICTIONARY_USER.'),
  BROADGAUGE_CLICKHOUSE_INGEST_USER: text.describe('User that inserts results.'),
  BROADGAUGE_CLICKHOUSE_INGEST_PASSWORD: z.string().describe('Password of BROADGAUGE_CLICKHOUSE_INGEST_USER.'),
  BROADGAUGE_CLICKHOUSE_EXPORT_USER: text.describe('User that writes exports to object storage.'),
  BROADGAUGE_CLICKHOUSE_EXPORT_PASSWORD: z.string().describe('Password of BROADGAUGE_CLICKHOUSE_EXPORT_USER.'),
  BROADGAUGE_CLICKHOUSE_ADMIN_USER: text.optional().describe('User that runs migrations; for commands, not for serve.'),
  BROADGAUGE_CLICKHOUSE_ADMIN_PASSWORD: z.string().optional().describe('Password of BROADGAUGE_CLICKHOUSE_ADMIN_USER.'),
  BROADGAUGE_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the object storage; omit it for Amazon S3.'),
  BROADGAUGE_S3_PUBLIC_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the object storage in links to exports, if callers use another one.'),
  BROADGAUGE_S3_REGION: text.default('us-east-1').describe('Region of the object storage.'),
  BROADGAUGE_S3_BUCKET: text.describe('Private bucket for exports.'),
  BROADGAUGE_S3_PREFIX: z
    .string()
    .regex(/^([A-Za-z0-9._-]+\/)*$/)
    .default('')
    .describe('Prefix of the keys of all objects; it ends in a slash.'),
  BROADGAUGE_S3_PATH_STYLE: flag.default(false).describe('Whether the bucket is in the path instead of the host name.'),
  BROADGAUGE_S3_CHECKSUMS: z
    .enum(['WHEN_REQUIRED', 'WHEN_SUPPORTED'])
    .default('WHEN_REQUIRED')
    .describe('When the S3 client adds checksums; stores other than Amazon S3 often refuse them.'),
  BROADGAUGE_S3_LIFECYCLE: flag
    .default(true)
    .describe(
      "Whether migrate sets the bucket's life-cycle rule for the prefix; false if you manage the rule yourself.",
    ),
  BROADGAUGE_S3_ACCESS_KEY_ID: text.describe('Access key.'),
  BROADGAUGE_S3_SECRET_ACCESS_KEY: text.describe('Secret key.'),
})

export type Settings = z.output<typeof configSchema>
