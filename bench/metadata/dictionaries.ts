import type { Settings } from '../../src/serve/config-schema.ts'
import { clickHouseOptions } from '../../src/serve/config.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'

type Dictionary = { name: string; entries: number; megabytes: number }

/**
 * Returns the memory that ClickHouse uses for the agents and their timelines. Every node uses this much, whatever the number of
 * nodes.
 */
export async function readDictionarySizes(settings: Settings): Promise<Dictionary[]> {
  const engine = openClickHouse(clickHouseOptions(settings, 'ADMIN'))
  try {
    const result = await engine.nodes[0]?.query({
      query: `SELECT name, toFloat64(element_count) AS entries, round(bytes_allocated / 1e6, 1) AS megabytes
              FROM system.dictionaries WHERE database = {database:String} ORDER BY bytes_allocated DESC`,
      query_params: { database: engine.database },
      format: 'JSONEachRow',
    })
    return (await result?.json<Dictionary>()) ?? []
  } finally {
    await engine.close()
  }
}
