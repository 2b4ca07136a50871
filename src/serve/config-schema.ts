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

/** Every setting there is. The environment is checked against it once, at start; the reference is made from it. */
export const configSchema = z.strictObject({
  BROADGAUGE_HOST: text.default('127.0.0.1').describe('Address the data, metadata and ingest listeners bind to.'),
  BROADGAUGE_PORT: port.default(8080).describe('Port of the data and metadata interfaces.'),
  BROADGAUGE_INGEST_PORT: port.default(8081).describe('Port of the ingest interface.'),
  BROADGAUGE_OPS_HOST: text.default('127.0.0.1').describe('Address the operations listener binds to; keep it private.'),
  BROADGAUGE_OPS_PORT: port.default(8082).describe('Port of /healthz, /readyz and the Prometheus /metrics.'),
  BROADGAUGE_DATA_BASE_URL: baseUrl.default('/').describe('Path prefix or whole address of the data interface.'),
  BROADGAUGE_METADATA_BASE_URL: baseUrl.default('/').describe('The same for the metadata interface.'),
  BROADGAUGE_TLS_CERT_FILE: text.optional().describe('Certificate chain (PEM). With the key: HTTPS, TLS 1.2 and 1.3.'),
  BROADGAUGE_TLS_KEY_FILE: text.optional().describe('Private key (PEM). Both files are read again when they change.'),
  BROADGAUGE_TRUST_PROXY: proxies
    .default(0)
    .describe(
      'How many proxies in front add to X-Forwarded-For; true is one. The entry the outermost of them added counts.',
    ),
  BROADGAUGE_CORS_ORIGINS: origins.prefault('').describe('Origins, comma-separated, whose pages may call us.'),
  BROADGAUGE_CONSOLE_ORIGINS: origins
    .prefault('')
    .describe('Origins of other services the console served here may be pointed at. Empty: this one only.'),
  BROADGAUGE_SESSION_HOURS: wholeNumber(1, 720)
    .default(12)
    .describe('How long a person who has signed in to the console stays so at most.'),
  BROADGAUGE_SESSION_IDLE_MINUTES: wholeNumber(15, 43_200)
    .default(60)
    .describe('How long one stays signed in without using the console.'),
  BROADGAUGE_SIGN_IN_FILE: text
    .optional()
    .describe('JSON file of the sign-ins by OpenID Connect that organisations have attached.'),
  BROADGAUGE_BODY_BYTES_MAX: wholeNumber(1024, 64 * 1024 * 1024)
    .default(256 * 1024)
    .describe('Largest request body of the data and metadata interfaces.'),
  BROADGAUGE_INGEST_REQUESTS_MAX: wholeNumber(2, 10_000)
    .default(32)
    .describe('Ingest requests one copy takes at once; an organisation gets half of them.'),
  // One more than an organisation may have written: with a single copy nobody else's would begin while its two run.
  BROADGAUGE_EXPORTS_MAX: wholeNumber(0, 100)
    .default(3)
    .describe('Exports one copy of serve or worker has the engine write at once; 0 leaves them to others.'),
  BROADGAUGE_EXPORTS_PER_ORGANISATION_MAX: wholeNumber(1, 100)
    .default(2)
    .describe('Exports of one organisation that are written at once, by all copies together.'),
  BROADGAUGE_EXPORTS_UNFINISHED_MAX: wholeNumber(1, 100_000)
    .default(1_000)
    .describe('Exports of one organisation that wait or are being written; one more is 429.'),
  BROADGAUGE_EXPORT_DAYS: wholeNumber(1, 365).default(7).describe('How long a finished export is kept.'),
  BROADGAUGE_QUERIES_MAX: wholeNumber(1, 10_000)
    .default(16)
    .describe(
      `Analytics queries one copy runs at once; others wait for up to ${limits.capacityWaitMs / 1_000} seconds, and get 503 at once when that would not do.`,
    ),
  BROADGAUGE_ORGANISATION_QUERIES: share(4, 'Analytics queries an organisation runs at once, over all copies.'),
  BROADGAUGE_TOKEN_QUERIES: share(4, 'The same for a token.'),
  BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: share(100, 'Requests of an organisation a second, over all copies.'),
  BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: share(50, 'The same for a token.'),
  BROADGAUGE_ORGANISATION_ENGINE_SECONDS: share(120, 'Seconds of the engine an organisation may use in a minute.'),
  BROADGAUGE_TOKEN_ENGINE_SECONDS: share(120, 'The same for a token.'),
  BROADGAUGE_DRAIN_SECONDS: wholeNumber(0, 3600)
    .default(35)
    .describe('How long a stopping service lets running requests finish.'),
  BROADGAUGE_RETENTION_DAYS: retention
    .prefault('')
    .describe(
      'Days results are kept, by test: httpget=1095,traceroute=90. Not listed: for ever. Takes effect with migrate; serve and worker need it too.',
    ),
  BROADGAUGE_ROLLUPS: flag
    .default(true)
    .describe('Whether this copy puts old days together for long ranges; false leaves it to others.'),
  BROADGAUGE_AUDIT_DAYS: wholeNumber(1, keptDaysMax)
    .default(400)
    .describe('Days the audit trail of analytics queries is kept; serve drops months past it.'),
  BROADGAUGE_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe log line written.'),
  BROADGAUGE_OTLP_TRACES_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Where traces are sent by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces. Omitted: nothing is traced.',
    ),
  BROADGAUGE_POSTGRES_URL: postgresUrl.describe('PostgreSQL as the service: a member of broadgauge_service.'),
  BROADGAUGE_POSTGRES_ADMIN_URL: postgresUrl
    .optional()
    .describe('PostgreSQL as the owner of the schema, a member of broadgauge_operator; for commands, not for serve.'),
  BROADGAUGE_POSTGRES_POOL_MAX: wholeNumber(1, 500)
    .default(20)
    .describe('Connections one copy of the service opens at most.'),
  BROADGAUGE_CLICKHOUSE_URL: urlList.describe('HTTP addresses of every ClickHouse node, comma-separated.'),
  BROADGAUGE_CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/i)
    .default('broadgauge')
    .describe('Database.'),
  BROADGAUGE_CLICKHOUSE_CLUSTER: text.optional().describe('Name of the cluster the nodes form; needed when several.'),
  BROADGAUGE_CLICKHOUSE_QUERY_USER: text.describe("Read-only user that runs callers' queries."),
  BROADGAUGE_CLICKHOUSE_QUERY_PASSWORD: z.string().describe('Its password.'),
  BROADGAUGE_CLICKHOUSE_STREAM_USER: text.describe('Read-only user that runs queries whose answers stream.'),
  BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD: z.string().describe('Its password.'),
  BROADGAUGE_CLICKHOUSE_DICTIONARY_USER: text.describe('User that may reload the dictionaries, and nothing else.'),
  BROADGAUGE_CLICKHOUSE_DICTIONARY_PASSWORD: z.string().describe('Its password.'),
  BROADGAUGE_CLICKHOUSE_INGEST_USER: text.describe('User that inserts results.'),
  BROADGAUGE_CLICKHOUSE_INGEST_PASSWORD: z.string().describe('Its password.'),
  BROADGAUGE_CLICKHOUSE_EXPORT_USER: text.describe('User that writes exports to object storage.'),
  BROADGAUGE_CLICKHOUSE_EXPORT_PASSWORD: z.string().describe('Its password.'),
  BROADGAUGE_CLICKHOUSE_ADMIN_USER: text.optional().describe('User that migrates; for commands, not for serve.'),
  BROADGAUGE_CLICKHOUSE_ADMIN_PASSWORD: z.string().optional().describe('Its password.'),
  BROADGAUGE_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Object storage; omit for Amazon S3.'),
  BROADGAUGE_S3_PUBLIC_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Its address in links to exports, where callers know it by another one.'),
  BROADGAUGE_S3_REGION: text.default('us-east-1').describe('Its region.'),
  BROADGAUGE_S3_BUCKET: text.describe('Private bucket for exports.'),
  BROADGAUGE_S3_PREFIX: z
    .string()
    .regex(/^([A-Za-z0-9._-]+\/)*$/)
    .default('')
    .describe('Key prefix, ending in a slash.'),
  BROADGAUGE_S3_PATH_STYLE: flag.default(false).describe('Bucket in the path instead of the host name.'),
  BROADGAUGE_S3_CHECKSUMS: z
    .enum(['WHEN_REQUIRED', 'WHEN_SUPPORTED'])
    .default('WHEN_REQUIRED')
    .describe("When the S3 client adds checksums; stores other than Amazon's often refuse them."),
  BROADGAUGE_S3_LIFECYCLE: flag
    .default(true)
    .describe("Let migrate set the bucket's life-cycle rules for our prefix; false where they are set otherwise."),
  BROADGAUGE_S3_ACCESS_KEY_ID: text.describe('Access key.'),
  BROADGAUGE_S3_SECRET_ACCESS_KEY: text.describe('Secret key.'),
})

export type Settings = z.output<typeof configSchema>
