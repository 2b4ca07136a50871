import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../../kit/world.ts'

/** The queries of a world that ClickHouse still runs two seconds after all callers have disconnected. */
export async function findLingeringQueries(world: World): Promise<string[]> {
  await pause(2_000)
  // Count only the queries of callers. ClickHouse may still load a dictionary, but no caller waits for that.
  const query = `SELECT query FROM system.processes WHERE elapsed > 2 AND is_initial_query
    AND query LIKE '%${world.name}%' AND user IN ('bg_query', 'bg_stream', 'bg_export')`
  const found = await Promise.all(
    world.engine('ADMIN').nodes.map(async (node) => {
      const answer = await node.query({ query, format: 'JSONEachRow' })
      return answer.json<{ query: string }>()
    }),
  )
  return found.flat().map((one) => one.query.slice(0, 400))
}
