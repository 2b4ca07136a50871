import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bucketUrl } from '../objects/bucket.ts'
import type { StackRecord } from '../record/stack-record.ts'

export const clusterName = 'broadgauge'

const committedFiles = ['config.xml', 'users.xml', 'users.d/row-policies.xml']

/** Returns true if the node was started with the committed configuration. If not, the node must be restarted. */
export async function hasCurrentConfiguration(nodeDirectory: string): Promise<boolean> {
  const same = committedFiles.map(async (file) => {
    const own = await readFile(join(nodeDirectory, file), 'utf8').catch(() => '')
    return own === (await readFile(join(import.meta.dirname, file), 'utf8'))
  })
  return (await Promise.all(same)).every(Boolean)
}

/** Copies the committed configuration next to the node's data: it shows which configuration the node was started with. */
export async function writeConfiguration(record: StackRecord, nodeDirectory: string): Promise<void> {
  for (const folder of ['config.d', 'users.d']) await mkdir(join(nodeDirectory, folder), { recursive: true })
  for (const file of committedFiles) await copyFile(join(import.meta.dirname, file), join(nodeDirectory, file))
  const clusterFile = join(nodeDirectory, 'config.d', 'cluster.xml')
  if (record.shards > 1) await writeFile(clusterFile, clusterXml(record, nodeDirectory))
  else await rm(clusterFile, { force: true })
}

/** The environment variables that config.xml and users.xml read with `from_env`. */
export function configurationEnvironment(record: StackRecord, nodeDirectory: string): Record<string, string> {
  const { ports, secrets, shards } = record
  const bucket = bucketUrl(ports)
  return {
    DEVSTACK_CLICKHOUSE_MEMORY_BYTES: String(shards > 1 ? 4e9 : 6e9),
    DEVSTACK_CLICKHOUSE_LOG: join(record.directory, 'log', `${nodeDirectory.split('/').at(-1)}.log`),
    DEVSTACK_CLICKHOUSE_USERS: join(nodeDirectory, 'users.xml'),
    DEVSTACK_CLICKHOUSE_ADMIN_PASSWORD: secrets.clickhouse.admin,
    DEVSTACK_CLICKHOUSE_QUERY_PASSWORD: secrets.clickhouse.query,
    DEVSTACK_CLICKHOUSE_STREAM_PASSWORD: secrets.clickhouse.stream,
    DEVSTACK_CLICKHOUSE_DICTIONARY_PASSWORD: secrets.clickhouse.dictionary,
    DEVSTACK_CLICKHOUSE_INGEST_PASSWORD: secrets.clickhouse.ingest,
    DEVSTACK_CLICKHOUSE_EXPORT_PASSWORD: secrets.clickhouse.export,
    DEVSTACK_CLICKHOUSE_CLUSTER_SECRET: secrets.clickhouse.cluster,
    DEVSTACK_CLICKHOUSE_EXPORT_GRANT: `GRANT READ, WRITE ON S3('\\Q${bucket}\\E.*')`,
    DEVSTACK_POSTGRES_PORT: String(ports.postgres),
    DEVSTACK_POSTGRES_DICTIONARY_PASSWORD: secrets.postgres.dictionary,
    DEVSTACK_S3_BUCKET_URL: bucket,
    DEVSTACK_S3_ACCESS_KEY_ID: secrets.objects.accessKeyId,
    DEVSTACK_S3_SECRET_ACCESS_KEY: secrets.objects.secretAccessKey,
  }
}

/** A node reaches the others through their relays. It recognises its own shard, which it reads directly, by its own port. */
function clusterXml({ ports }: StackRecord, nodeDirectory: string): string {
  const shards = ports.clickhouse.map(({ tcp, relay }, index) => {
    const port = nodeDirectory.endsWith(`clickhouse-${index + 1}`) ? tcp : relay
    return `            <shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`
  })
  return `<clickhouse>
    <remote_servers>
        <${clusterName}>
            <!-- With a secret a shard is asked in the name of the user who asked first, under that user's rights. -->
            <secret from_env="DEVSTACK_CLICKHOUSE_CLUSTER_SECRET"/>
${shards.join('\n')}
        </${clusterName}>
    </remote_servers>
</clickhouse>
`
}
