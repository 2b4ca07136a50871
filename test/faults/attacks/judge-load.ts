import { runSql } from '../../kit/run-sql.ts'
import { findTimelineFaults } from '../timeline-faults.ts'
import { findLingeringQueries } from './lingering-queries.ts'
import type { MixedLoad } from './mixed-load.ts'
import type { Rig } from './rig.ts'
import type { Tally } from './tally.ts'
import { secretIn, unhandled } from './zeros.ts'

/**
 * Checks after a load that every acknowledged write is stored exactly once, and that the service has logged no
 * forbidden event.
 */
export async function judgeLoad(
  rig: Pick<Rig, 'world' | 'token'> & { readonly service: Pick<Rig['service'], 'isRunning' | 'endedItself' | 'said'> },
  { acknowledged, filesAsked }: Pick<MixedLoad, 'acknowledged' | 'filesAsked'>,
  tally: Tally,
): Promise<void> {
  const { world, service } = rig
  const events = await runSql<{ mark: string; times: number }>(
    world.superuserUrl,
    `SELECT request #>> '{metadata,custom,mark}' AS mark, count(*)::integer AS times FROM metadata_events
     WHERE kind = 'change' GROUP BY 1`,
  )
  const made = new Map(events.map(({ mark, times }) => [mark, times]))
  for (const mark of acknowledged.changes) {
    const times = made.get(mark) ?? 0
    if (times !== 1) tally.breach(times === 0 ? 'Z1' : 'Z2', 'a change', `${mark} is there ${times} times`)
  }
  if (tally.counted('a file was read') === 0) tally.breach('Z5', 'files', 'none was ever there to be read')
  const [files] = await runSql<{ made: number }>(world.superuserUrl, 'SELECT count(*)::integer AS made FROM exports')
  if ((files?.made ?? 0) > filesAsked()) tally.breach('Z2', 'files', `${files?.made} of ${filesAsked()} asked for`)
  const stored = await storedRows(rig)
  for (const [target, rows] of acknowledged.batches) {
    const found = stored.get(target) ?? 0
    if (found !== rows) tally.breach(found < rows ? 'Z1' : 'Z2', 'a batch', `${target}: ${found} of ${rows} rows`)
  }
  for (const fault of await findTimelineFaults(world.superuserUrl)) tally.breach('Z2', 'a timeline', fault)
  for (const query of await findLingeringQueries(world)) tally.breach('Z9', 'a query is alive', query)
  if (!service.isRunning()) tally.breach('Z7', 'the service has ended', service.said().slice(-500))
  if (service.endedItself() > 0) tally.breach('Z7', 'the service ended itself', `${service.endedItself()} times`)
  const hasSecret = secretIn(world.environment, [rig.token])
  for (const line of service.said().split('\n')) {
    if (hasSecret(line)) tally.breach('Z6', 'a secret in the log', line.slice(0, 80))
    if (line.includes('UNKNOWN_ERROR')) tally.breach('Z3', 'an unforeseen failure', line.slice(0, 600))
    if (unhandled.test(line)) tally.breach('Z7', 'an unhandled error', line.slice(0, 600))
  }
}

async function storedRows({ world }: Pick<Rig, 'world'>): Promise<Map<string, number>> {
  const [node] = world.engine('ADMIN').nodes
  const query = `SELECT target, toUInt32(count()) AS rows FROM ${world.name}.ping GROUP BY target`
  const stored = await node?.query({ query, format: 'JSONEachRow' })
  return new Map((await stored?.json<{ target: string; rows: number }>())?.map(({ target, rows }) => [target, rows]))
}
