import { text } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../base/limits.ts'
import { identifier, sql, type Sql, statement } from '../../base/sql.ts'
import { notedFacts } from '../../compile/values/value-tables.ts'
import { type ClickHouse, type ClickHouseNode, speaking } from './clickhouse.ts'

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

/** The one value a statement of ours answers with. */
export async function askNode(node: ClickHouseNode, query: string): Promise<string> {
  return speaking(async () => {
    const deadline = AbortSignal.timeout(limits.lookupTimeoutMs)
    // Not by `query`: it adds a format, which CHECK GRANT does not take.
    const { stream } = await node.exec({ query, abort_signal: deadline })
    return (await text(stream)).trim()
  })
}

/** Whether the user that asks has a right, as `GRANT` names it. */
export const hasRight = async (node: ClickHouseNode, right: string): Promise<boolean> =>
  (await askNode(node, `CHECK GRANT ${right}`)) === '1'

/** Of a setting that is a number or a flag. */
export const readSetting = (node: ClickHouseNode, name: string): Promise<string> =>
  askNode(node, `SELECT toInt64(getSetting('${name}'))`)

/** Whether the user may send what queries of the service are sent with: the comment that names their panels, and niceness. */
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
