import { sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { shardTable } from './fact-table.ts'
import { rejectedTable } from '../ingest/rejected-table.ts'
import { rollupTable } from '../rollup/rollup-table.ts'
import { factValues } from '../values/value-tables.ts'

/** Restricts which rows of a table the queries of callers can read. */
export type RowPolicy = { readonly table: string; readonly filter: Sql }

/**
 * The log comment of every query contains the list of its panels. If the comment or the list is missing, or a row's panel is
 * not in the list, the query does not see the row.
 */
const namedPanels = sql`has(JSONExtract(getSetting('log_comment'), 'panels', 'Array(UInt32)'), panel)`

const nothing = sql`0`

/**
 * Defence in depth: a statement without a condition on panels still returns no rows of other panels. There is a policy for
 * every table of the catalogue. On a cluster, both the shard tables and the Distributed tables need one.
 */
export function rowPolicies({ tests }: Catalog, isCluster: boolean): RowPolicy[] {
  const both = (table: string) => (isCluster ? [table, shardTable(table)] : [table])
  const named = [...tests.map(({ key }) => key), factValues.name, rollupTable].flatMap(both)
  const hidden = [...both(rejectedTable), 'staged_results', 'surplus_rows']
  return [
    ...named.map((table) => ({ table, filter: namedPanels })),
    ...hidden.map((table) => ({ table, filter: nothing })),
  ]
}
