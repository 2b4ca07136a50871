import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { statement, type Sql } from '../../../base/sql.ts'
import { speaking } from '../clickhouse.ts'
import { wholeAnswer } from './whole-answer.ts'

/** How a node is asked for our own purposes. What callers ask goes by `findPoints` and `streamRows`. */
export type Asking = { readonly settings?: ClickHouseSettings; readonly signal?: AbortSignal }

/** The rows of an answer, all of them in memory. */
export const findIn = <Row>(node: ClickHouseClient, query: Sql, asking: Asking = {}): Promise<Row[]> =>
  speaking(async () => {
    const result = await node.query({ ...optionsOf(query, asking), format: 'JSON' })
    return wholeAnswer(result.json<Row>())
  })

/** Returns when it is done. A name, if there is one, is what others find it by while it runs. */
export const runIn = (node: ClickHouseClient, query: Sql, asking: Asking & { name?: string } = {}): Promise<void> =>
  speaking(async () => {
    const named = asking.name === undefined ? {} : { query_id: asking.name }
    await node.command({ ...optionsOf(query, asking), ...named })
  })

function optionsOf(query: Sql, { settings = {}, signal }: Asking) {
  // The client listens for the abort only: one that has been is nothing to it.
  signal?.throwIfAborted()
  const { text, params } = statement(query)
  const listening = signal === undefined ? {} : { abort_signal: signal }
  return { query: text, query_params: { ...params }, clickhouse_settings: settings, ...listening }
}
