import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeUrl } from './clickhouse/component.ts'
import { clusterName } from './clickhouse/configuration.ts'
import { bucketName, gatewayUrl, region } from './objects/bucket.ts'
import { adminUrl, serviceUrl } from './postgres/urls.ts'
import type { StackRecord } from './record/stack-record.ts'

/** The settings that the service needs to use this stack. */
export function serviceEnvironment(record: StackRecord): Record<string, string> {
  const { ports, secrets, shards } = record
  return {
    BROADGAUGE_POSTGRES_URL: serviceUrl(record),
    BROADGAUGE_POSTGRES_ADMIN_URL: adminUrl(record),
    BROADGAUGE_CLICKHOUSE_URL: ports.clickhouse.map(nodeUrl).join(','),
    BROADGAUGE_CLICKHOUSE_DATABASE: 'broadgauge',
    ...(shards > 1 && { BROADGAUGE_CLICKHOUSE_CLUSTER: clusterName }),
    BROADGAUGE_CLICKHOUSE_ADMIN_USER: 'bg_admin',
    BROADGAUGE_CLICKHOUSE_ADMIN_PASSWORD: secrets.clickhouse.admin,
    BROADGAUGE_CLICKHOUSE_QUERY_USER: 'bg_query',
    BROADGAUGE_CLICKHOUSE_QUERY_PASSWORD: secrets.clickhouse.query,
    BROADGAUGE_CLICKHOUSE_STREAM_USER: 'bg_stream',
    BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD: secrets.clickhouse.stream,
    BROADGAUGE_CLICKHOUSE_DICTIONARY_USER: 'bg_dictionary',
    BROADGAUGE_CLICKHOUSE_DICTIONARY_PASSWORD: secrets.clickhouse.dictionary,
    BROADGAUGE_CLICKHOUSE_INGEST_USER: 'bg_ingest',
    BROADGAUGE_CLICKHOUSE_INGEST_PASSWORD: secrets.clickhouse.ingest,
    BROADGAUGE_CLICKHOUSE_EXPORT_USER: 'bg_export',
    BROADGAUGE_CLICKHOUSE_EXPORT_PASSWORD: secrets.clickhouse.export,
    // Effectively no limits: development, benchmarks and tests all count as one caller. Tests of the limits set their own
    // values.
    BROADGAUGE_QUERIES_MAX: '200',
    BROADGAUGE_ORGANISATION_QUERIES: '0',
    BROADGAUGE_TOKEN_QUERIES: '0',
    BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: '0',
    BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: '0',
    BROADGAUGE_ORGANISATION_ENGINE_SECONDS: '0',
    BROADGAUGE_TOKEN_ENGINE_SECONDS: '0',
    BROADGAUGE_S3_ENDPOINT: gatewayUrl(ports),
    BROADGAUGE_S3_REGION: region,
    BROADGAUGE_S3_BUCKET: bucketName,
    BROADGAUGE_S3_PATH_STYLE: 'true',
    // Disabled because the object storage of this stack treats ten seconds as one day of a life-cycle rule.
    BROADGAUGE_S3_LIFECYCLE: 'false',
    BROADGAUGE_S3_ACCESS_KEY_ID: secrets.objects.accessKeyId,
    BROADGAUGE_S3_SECRET_ACCESS_KEY: secrets.objects.secretAccessKey,
  }
}

export function environmentFile(record: StackRecord): string {
  return join(record.directory, 'env')
}

export async function writeEnvironmentFile(record: StackRecord): Promise<void> {
  const lines = Object.entries(serviceEnvironment(record)).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(environmentFile(record), lines.join(''), { mode: 0o600 })
}
