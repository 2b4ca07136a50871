import type { ResponseJSON } from '@clickhouse/client'
import { storeAway } from '../../../base/fault.ts'

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
