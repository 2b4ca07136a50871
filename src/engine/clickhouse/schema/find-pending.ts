import type { FactLayout } from '../../../compile/schema/fact-table.ts'
import type { ClickHouse, ClickHouseNode } from '../clickhouse.ts'
import { findLacks } from './converge-fact-tables.ts'
import { findOtherRetentions, keeping } from './converge-retention.ts'
import { retentions, type Followed } from './tables.ts'

/**
 * Finds what `migrate` would change in the tables of a node that depend on the catalogue and the settings. The migration table
 * does not record these changes. Throws, as `migrate` would, if a table differs by more than additions. Changes nothing.
 */
export async function findPending(
  node: ClickHouseNode,
  clickhouse: ClickHouse,
  layout: FactLayout,
  followed: Followed,
): Promise<string[]> {
  const lacks = await findLacks(node, clickhouse, followed, layout)
  // If a table is missing, `migrate` creates it with the right retention, so the retentions need no check.
  if (lacks.length > 0) return lacks.map(({ change }) => change)
  const others = await findOtherRetentions(node, clickhouse.database, retentions(layout, followed))
  return others.map(keeping)
}
