import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import type { Sql } from '../../../base/sql.ts'
import { findIn, runIn } from '../query/ask.ts'

/** For statements an operator waits for, over whole tables. */
const settings: ClickHouseSettings = {
  async_insert: 0,
  // Grouped as the table is sorted: memory does not grow with the month.
  optimize_aggregation_in_order: 1,
  // Returns when the rows are gone on every replica.
  lightweight_deletes_sync: '2',
  allow_nondeterministic_mutations: 1,
}

export const runMaintenance = (node: ClickHouseClient, query: Sql): Promise<void> => runIn(node, query, { settings })

export const findByMaintenance = <Row>(node: ClickHouseClient, query: Sql): Promise<Row[]> =>
  findIn<Row>(node, query, { settings })
