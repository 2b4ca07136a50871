import type { Sql } from '../../../base/sql.ts'
import { findIn } from './ask.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { firstNode } from '../next-node.ts'

/** The rows of a selection, all of them in memory. */
export const findSelected = async <Row>(clickhouse: ClickHouse, selection: Sql): Promise<Row[]> =>
  findIn<Row>(firstNode(clickhouse), selection)
