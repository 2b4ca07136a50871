import type { FactLayout } from '../../../compile/schema/fact-table.ts'
import type { ClickHouse, ClickHouseNode } from '../clickhouse.ts'
import { findLacks, findUnindexed, indexOf } from './converge-fact-tables.ts'
import { findOtherRetentions, keeping } from './converge-retention.ts'
import { findUnsetSums, settingOf } from './converge-rollups.ts'
import { retentions, type Followed } from './tables.ts'

/**
 * What `migrate` would do to a node's tables that follow the catalogue and the settings: no ledger knows of it. Stops, as
 * `migrate` would, where a table is not one that can be added to. Changes nothing.
 */
export async function findPending(
  node: ClickHouseNode,
  clickhouse: ClickHouse,
  layout: FactLayout,
  followed: Followed,
): Promise<string[]> {
  const lacks = await findLacks(node, clickhouse, followed, layout)
  // A table that is not there is made with all that is looked for below.
  if (lacks.length > 0) return lacks.map(({ change }) => change)
  const others = await findOtherRetentions(node, clickhouse.database, retentions(layout, followed))
  return [
    ...(await findUnindexed(node, clickhouse, followed.catalog)).map(indexOf),
    ...(await findUnsetSums(node, clickhouse)).map(settingOf),
    ...others.map(keeping),
  ]
}
