import type { Catalog } from '../../../catalog/catalog.ts'
import { shardTable, type FactLayout } from '../../../compile/schema/fact-table.ts'
import type { Retention } from '../../../compile/metric/retention.ts'

/** What tables follow that no numbered file makes. */
export type Followed = {
  readonly catalog: Catalog
  /** Days results are kept, by test; for ever where it is not named. */
  readonly resultDays: ReadonlyMap<string, number>
}

/** Where the rows are: a Distributed table keeps none. */
export const retentions = (layout: FactLayout, { catalog, resultDays }: Followed): Retention[] =>
  catalog.tests.map(({ key }) => ({
    table: layout === 'single' ? key : shardTable(key),
    column: 'dtime',
    days: resultDays.get(key) ?? null,
  }))
