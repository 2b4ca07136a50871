import { text } from 'node:stream/consumers'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { limits } from '../../base/limits.ts'
import { identifier, sql, type Sql, statement } from '../../base/sql.ts'
import { scannedFacts } from '../../compile/values/value-tables.ts'
import { type ClickHouse, type ClickHouseNode, mapStoreErrors } from './clickhouse.ts'

/**
 * Resolves when every node has answered, or, in a cluster, when one node has reached every shard: an unavailable node may have a
 * replica. Both are tried at the same time. A node that hangs would otherwise use up the time in which the others can answer.
 */
export async function pingClickHouse({ nodes, database, cluster }: ClickHouse): Promise<void> {
  const everyNode = Promise.all(nodes.map((node) => ping(node, sql`SELECT 1`)))
  if (cluster === null) return void (await everyNode)
  const everyShard = sql`SELECT count() FROM ${identifier(database)}.${identifier(scannedFacts.name)}`
  await Promise.any([everyNode, ...nodes.map((node) => ping(node, everyShard))]).catch(() => everyNode)
}

const ping = (node: ClickHouseClient, query: Sql): Promise<void> =>
  mapStoreErrors(async () => {
    const deadline = AbortSignal.timeout(limits.readinessTimeoutMs)
    const result = await node.query({ query: statement(query).text, format: 'JSONCompact', abort_signal: deadline })
    await result.text()
  })

/** Runs a statement that returns one value. */
export async function queryNode(node: ClickHouseNode, query: string): Promise<string> {
  return mapStoreErrors(async () => {
    const deadline = AbortSignal.timeout(limits.lookupTimeoutMs)
    // `exec` instead of `query`: `query` adds a FORMAT clause, which CHECK GRANT does not accept.
    const { stream } = await node.exec({ query, abort_signal: deadline })
    return (await text(stream)).trim()
  })
}

/** Returns true if the connected user has a right. `right` uses the syntax of `GRANT`. */
export const hasRight = async (node: ClickHouseNode, right: string): Promise<boolean> =>
  (await queryNode(node, `CHECK GRANT ${right}`)) === '1'

/** Reads a setting of ClickHouse. A flag is 0 or 1. */
export const readSetting = (node: ClickHouseNode, name: string): Promise<string> =>
  queryNode(node, `SELECT value FROM system.settings WHERE name = '${name}'`)

/** Returns true if the user may send these settings with a query. */
export async function maySendSettings(node: ClickHouseNode, settings: ClickHouseSettings): Promise<boolean> {
  try {
    const { stream } = await node.exec({ query: 'SELECT 1', clickhouse_settings: settings })
    await text(stream)
    return true
  } catch {
    return false
  }
}
