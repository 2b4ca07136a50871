import type { ClickHouseClient, ClickHouseSettings, ResponseJSON } from '@clickhouse/client'
import { type Sql, statement } from '../../../base/sql.ts'
import { type ClickHouse, speaking } from '../clickhouse.ts'
import { storeAway } from '../../../base/fault.ts'
import { firstNode } from '../next-node.ts'

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

/**
 * An engine whose disk is full cannot keep an answer back, and sends 200 with none of it, or with a part. So the format is
 * one that has an end and says how many rows there are: less than that is a store that is away, never an answer.
 */
export async function wholeAnswer<Row>(reading: Promise<ResponseJSON<Row>>): Promise<Row[]> {
  const { data, rows } = await reading.catch((error: unknown) => {
    throw error instanceof SyntaxError ? storeAway('ClickHouse', error) : error
  })
  if (data.length === rows) return data
  throw storeAway('ClickHouse', new Error(`the engine sent ${data.length} of ${rows} rows`))
}

/** The rows of a selection, all of them in memory. */
export const findSelected = async <Row>(clickhouse: ClickHouse, selection: Sql): Promise<Row[]> =>
  findIn<Row>(firstNode(clickhouse), selection)
