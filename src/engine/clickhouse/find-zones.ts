import { sql } from '../../base/sql.ts'
import type { ClickHouse } from './clickhouse.ts'
import { findSelected } from './find-selected.ts'

/** Names of the time zones the engine knows. */
export async function findZones(clickhouse: ClickHouse): Promise<string[]> {
  const rows = await findSelected<{ time_zone: string }>(clickhouse, sql`SELECT time_zone FROM system.time_zones`)
  return rows.map(({ time_zone: name }) => name)
}
