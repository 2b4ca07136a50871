import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bucketUrl } from '../objects/bucket.ts'
import type { StackRecord } from '../record/stack-record.ts'

export const clusterName = 'broadgauge'

const committedFiles = ['config.xml', 'users.xml', 'users.d/row-policies.xml']

/** Whether a node was started with what is committed now. One that was not has to be started again. */
export async function hasCurrentConfiguration(nodeDirectory: string): Promise<boolean> {
  const same = committedFiles.map(async (file) => {
    const own = await readFile(join(nodeDirectory, file), 'utf8').catch(() => '')
    return own === (await readFile(join(import.meta.dirname, file), 'utf8'))
  })
  return (await Promise.all(same)).every(Boolean)
}

/** Copies the committed configuration beside the node's data, so that a node keeps what it was started with. */
export async function writeConfiguration(record: StackRecord, nodeDirectory: string): Promise<void> {
  for (const folder of ['config.d', 'users.d']) await mkdir(join(nodeDirectory, folder), { recursive: true })
  for (const file of committedFiles) await copyFile(join(import.meta.dirname, file), join(nodeDirectory, file))
  const clusterFile = join(nodeDirectory, 'config.d', 'cluster.xml')
  if (record.shards > 1) await writeFile(clusterFile, clusterXml(record))
  else await rm(clusterFile, { force: true })
}

/** What config.xml and users.xml take by `from_env`. */
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

function clusterXml({ ports }: StackRecord): string {
  const shards = ports.clickhouse.map(
    ({ tcp }) => `            <shard><replica><host>127.0.0.1</host><port>${tcp}</port></replica></shard>`,
  )
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
