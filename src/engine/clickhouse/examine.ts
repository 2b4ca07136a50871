import { text } from 'node:stream/consumers'
import { limits } from '../../base/limits.ts'
import { speaking, type ClickHouseNode } from './clickhouse.ts'

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
