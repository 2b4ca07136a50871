import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'
import type { Sql } from '../../../base/sql.ts'
import { findIn } from '../query/ask.ts'
import { unlessSilent } from '../query/while-responsive.ts'
import { mapClickHouseErrors } from '../clickhouse.ts'

const settings = { transform_null_in: 1, max_execution_time: limits.batchTimeoutMs / 1000 } as const

/** Runs a query whose result decides how a batch is stored. */
export const findRows = <Row>(node: ClickHouseClient, query: Sql): Promise<Row[]> =>
  mapClickHouseErrors(() => unlessSilent(node, (signal) => findIn<Row>(node, query, { settings, signal })))
