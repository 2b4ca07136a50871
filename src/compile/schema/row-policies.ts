import { sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { shardTable } from './fact-table.ts'
import { rejectedTable } from '../ingest/rejected-table.ts'
import { rollupTable } from '../rollup/rollup-table.ts'
import { factValues } from '../values/value-tables.ts'

/** Which rows of a table callers' queries may see, whatever they say. */
export type RowPolicy = { readonly table: string; readonly filter: Sql }

/** Panels are named in the comment that every query carries. No comment, no list, no panel in it: no rows. */
const namedPanels = sql`has(JSONExtract(getSetting('log_comment'), 'panels', 'Array(UInt32)'), panel)`

const nothing = sql`0`

/**
 * The second wall: a statement that forgets its panels shows nothing. It follows the catalogue. On a cluster the rows are
 * in the shard tables, and the tables in front of them are read under their own names.
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
