import { text } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
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

/** Reads a setting of ClickHouse that is a number or a flag. */
export const readSetting = (node: ClickHouseNode, name: string): Promise<string> =>
  queryNode(node, `SELECT toInt64(getSetting('${name}'))`)

/**
 * Returns true if the user may send the settings that the service's queries need: the log comment, which contains the panels,
 * and the niceness.
 */
export async function maySendSettings(node: ClickHouseNode): Promise<boolean> {
  try {
    const settings = { log_comment: '{}', os_thread_priority: '1' }
    const { stream } = await node.exec({ query: 'SELECT 1', clickhouse_settings: settings })
    await text(stream)
    return true
  } catch {
    return false
  }
}
