import type { World } from '../../kit/world.ts'
import { until } from '../attempt.ts'

/** Queries of a world that the engine still works on two seconds after everybody has left. */
export async function findLingeringQueries(world: World): Promise<string[]> {
  const [node] = world.engine('ADMIN').nodes
  const query = `SELECT query FROM system.processes WHERE elapsed > 2 AND is_initial_query
    AND query LIKE '%${world.name}%' AND query NOT LIKE '%system.processes%'`
  let running: string[] = []
  const isQuiet = async () => {
    const answer = await node?.query({ query, format: 'JSONEachRow' })
    running = ((await answer?.json<{ query: string }>()) ?? []).map((one) => one.query.slice(0, 400))
    return running.length === 0
  }
  await until(isQuiet, 2_000).catch(() => {})
  return running
}
