import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../base/limits.ts'
import { identifier, sql, statement, type Sql } from '../../base/sql.ts'
import { notedFacts } from '../../compile/values/value-tables.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/**
 * Every node runs a query; one that hangs counts as away. Where one is away the others may still have every row, if it has a
 * replica: one of them is asked for something that is on all shards.
 */
export async function pingClickHouse({ nodes, database, cluster }: ClickHouse): Promise<void> {
  const asked = await Promise.allSettled(nodes.map((node) => ping(node, sql`SELECT 1`)))
  const failure = asked.find((one) => one.status === 'rejected')
  if (failure === undefined) return
  const living = nodes.find((_, index) => asked[index]?.status === 'fulfilled')
  if (living === undefined || cluster === null) throw failure.reason
  await ping(living, sql`SELECT count() FROM ${identifier(database)}.${identifier(notedFacts.name)}`)
}

const ping = (node: ClickHouseClient, query: Sql): Promise<void> =>
  speaking(async () => {
    const deadline = AbortSignal.timeout(limits.readinessTimeoutMs)
    const result = await node.query({ query: statement(query).text, format: 'JSONCompact', abort_signal: deadline })
    await result.text()
  })
