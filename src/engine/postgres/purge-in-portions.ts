import { findRows, type NamedStatement, type Postgres } from './postgres.ts'

/** Some tenths of a second's work: a portion is far within the deadline of look-ups, and the next begins where it ended. */
const portionRows = 10_000

/** Of a statement that takes an age and a number of rows, and answers how many rows of that age it has removed. */
export async function purgeInPortions({ pool }: Postgres, statement: NamedStatement, olderThan: string): Promise<void> {
  for (;;) {
    const [portion] = await findRows<{ purged: number }>(pool, statement, [olderThan, portionRows])
    if (portion === undefined || portion.purged < portionRows) return
  }
}
