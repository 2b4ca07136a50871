import type { Catalog } from '../../catalog/catalog.ts'
import { auditTable } from '../../compile/audit-table.ts'
import { shardTable, type FactLayout } from '../../compile/fact-table.ts'
import type { Retention } from '../../compile/retention.ts'

/** What tables follow that no numbered file makes. */
export type Followed = {
  readonly catalog: Catalog
  /** Days the audit trail is kept. */
  readonly auditDays: number
  /** Days results are kept, by test; for ever where it is not named. */
  readonly resultDays: ReadonlyMap<string, number>
}

/** Where the rows are: a Distributed table keeps none. */
export function retentions(layout: FactLayout, { catalog, auditDays, resultDays }: Followed): Retention[] {
  const stored = (name: string) => (layout === 'single' ? name : shardTable(name))
  return [
    { table: stored(auditTable), column: 'asked_at', days: auditDays },
    ...catalog.tests.map(({ key }) => ({ table: stored(key), column: 'dtime', days: resultDays.get(key) ?? null })),
  ]
}
