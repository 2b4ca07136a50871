import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import type { Sql } from '../../../base/sql.ts'
import { findIn, runIn } from '../query/ask.ts'

/** Settings for an operator's statements, which read whole tables. */
const settings: ClickHouseSettings = {
  async_insert: 0,
  // ClickHouse groups in the sort order of the table, so that the memory does not grow with the size of a month.
  optimize_aggregation_in_order: 1,
  // The statement returns when every replica has deleted the rows.
  lightweight_deletes_sync: '2',
  allow_nondeterministic_mutations: 1,
}

export const runMaintenance = (node: ClickHouseClient, query: Sql): Promise<void> => runIn(node, query, { settings })

export const findByMaintenance = <Row>(node: ClickHouseClient, query: Sql): Promise<Row[]> =>
  findIn<Row>(node, query, { settings })
