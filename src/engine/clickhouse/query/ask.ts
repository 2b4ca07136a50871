import type { ClickHouseClient, ClickHouseSettings, ResponseJSON } from '@clickhouse/client'
import { type Sql, statement } from '../../../base/sql.ts'
import { type ClickHouse, mapStoreErrors } from '../clickhouse.ts'
import { storeUnavailable } from '../../../base/fault.ts'
import { firstNode } from '../next-node.ts'

/** Options for the service's own statements. Queries of callers use `findPoints` and `streamRows`. */
export type QueryOptions = { readonly settings?: ClickHouseSettings; readonly signal?: AbortSignal }

/** Reads all rows into memory. */
export const findIn = <Row>(node: ClickHouseClient, query: Sql, asking: QueryOptions = {}): Promise<Row[]> =>
  mapStoreErrors(async () => {
    const result = await node.query({ ...optionsOf(query, asking), format: 'JSON' })
    return wholeAnswer(result.json<Row>())
  })

/** Runs a statement and returns when it has ended. `name` is its query id. */
export const runIn = (
  node: ClickHouseClient,
  query: Sql,
  asking: QueryOptions & { name?: string } = {},
): Promise<void> =>
  mapStoreErrors(async () => {
    const named = asking.name === undefined ? {} : { query_id: asking.name }
    await node.command({ ...optionsOf(query, asking), ...named })
  })

function optionsOf(query: Sql, { settings = {}, signal }: QueryOptions) {
  // The client library reacts only to the abort event and ignores a signal that is already aborted.
  signal?.throwIfAborted()
  const { text, params } = statement(query)
  const listening = signal === undefined ? {} : { abort_signal: signal }
  return { query: text, query_params: { ...params }, clickhouse_settings: settings, ...listening }
}

/**
 * With a full disk, ClickHouse cannot buffer a response: it sends status 200 with no body or with a part of it. The JSON format
 * has an end and a row count. If the end or rows are missing, the store counts as unavailable.
 */
export async function wholeAnswer<Row>(reading: Promise<ResponseJSON<Row>>): Promise<Row[]> {
  const { data, rows } = await reading.catch((error: unknown) => {
    throw error instanceof SyntaxError ? storeUnavailable('ClickHouse', error) : error
  })
  if (data.length === rows) return data
  throw storeUnavailable('ClickHouse', new Error(`the engine sent ${data.length} of ${rows} rows`))
}

/** Reads all rows into memory. */
export const findSelected = async <Row>(clickhouse: ClickHouse, selection: Sql): Promise<Row[]> =>
  findIn<Row>(firstNode(clickhouse), selection)
