import { findRows, type Postgres } from '../postgres.ts'

/** As many as the engine's dictionary of spans takes. */
const spanNumbersMax = 1_000_000_000

const statement = { name: 'last-span-id', text: 'SELECT last_span_id()::float8 AS last' }

/** The share of the numbers of spans that has been given away, of all organisations; none comes back. */
export async function readSpanNumbersUsed({ pool }: Postgres): Promise<number> {
  const [row] = await findRows<{ last: number }>(pool, statement, [])
  return (row?.last ?? 0) / spanNumbersMax
}
