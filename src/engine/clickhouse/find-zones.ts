import type { ClickHouse } from './clickhouse.ts'

/** Names of the time zones the engine knows. */
export async function findZones({ nodes: [node] }: ClickHouse): Promise<string[]> {
  const result = await node?.query({ query: 'SELECT time_zone FROM system.time_zones', format: 'JSONEachRow' })
  const rows = (await result?.json<{ time_zone: string }>()) ?? []
  return rows.map(({ time_zone: name }) => name)
}
