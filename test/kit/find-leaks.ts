import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { openObjects } from '../../src/engine/objects/objects.ts'
import { clickHouseOptions, objectsOptions, readSettings } from '../../src/serve/config.ts'
import type { TestRun } from './global-setup.ts'
import { runSql } from './run-sql.ts'

/** The databases and objects that a run has created and not removed, in all stores. */
export async function findLeaks(run: TestRun): Promise<string[]> {
  return [...(await databasesInPostgres(run)), ...(await databasesInClickHouse(run)), ...(await objectsInBucket(run))]
}

async function databasesInPostgres({ superuserUrl, prefix }: TestRun): Promise<string[]> {
  const text = 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)'
  const rows = await runSql<{ datname: string }>(superuserUrl, text, [prefix])
  return rows.map(({ datname }) => `PostgreSQL database ${datname}`)
}

async function databasesInClickHouse({ environment, prefix }: TestRun): Promise<string[]> {
  const clickhouse = openClickHouse(clickHouseOptions(readSettings(environment), 'ADMIN'))
  const names = await Promise.all(
    clickhouse.nodes.map(async (node) => {
      const result = await node.query({
        query: 'SELECT name FROM system.databases WHERE startsWith(name, {prefix:String})',
        query_params: { prefix },
        format: 'JSONEachRow',
      })
      return result.json<{ name: string }>()
    }),
  )
  await clickhouse.close()
  return names.flat().map(({ name }) => `ClickHouse database ${name}`)
}

async function objectsInBucket({ environment, prefix }: TestRun): Promise<string[]> {
  const objects = openObjects(objectsOptions(readSettings(environment)))
  const listing = await objects.client.send(new ListObjectsV2Command({ Bucket: objects.bucket, Prefix: prefix }))
  objects.close()
  return (listing.Contents ?? []).map(({ Key }) => `object ${Key}`)
}
