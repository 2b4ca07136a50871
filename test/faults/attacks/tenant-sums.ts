import { runSql } from '../../kit/run-sql.ts'
import { buildAll } from '../../features/rollup/build.ts'
import { until } from '../attempt.ts'
import { mayRead, stems, type Stem, type TenantName, type TenantWorld } from './tenant-world.ts'

/** Whose sums an answer has, of those the caller may read: everybody's, those of the one who is named, or all but those. */
export type Summed = 'all' | 'the named' | 'the others'

const isBuilt = `SELECT 1 FROM rollup_days WHERE test = 'httpget' AND day = '2026-01-05' AND NOT stale`

/** Puts everybody's January together as the keeper of rollups would, and dyes the sums. */
export async function buildSums(tenants: TenantWorld): Promise<void> {
  const { world, names } = tenants
  const panels = new Map(stems.filter((stem) => stem !== 'nemos').map((stem) => [names[stem].panel, stem]))
  const january = { to: Date.parse('2026-01-31') / 86_400_000 }
  // Nothing is built before the engine has been told of everybody's metadata.
  await until(
    async () => {
      await buildAll(world, january)
      return (await runSql(world.superuserUrl, isBuilt)).length === panels.size
    },
    60_000,
    500,
  )
  await dye(tenants, panels)
}

/** Each panel has a digit of its own in numbers of results, which results themselves do not reach. */
const dyeOf = (stem: Stem): number => 1_000 * digit ** stems.indexOf(stem)
const digit = 32

/** Sums that nobody could get from results: an answer shows that it comes from sums, and from whose. */
async function dye({ world }: TenantWorld, panels: ReadonlyMap<string, Stem>): Promise<void> {
  const rows = await runSql<{ id: number; key: string }>(world.superuserUrl, 'SELECT id, key FROM panels')
  const dyes = rows.flatMap(({ id, key }) => {
    const stem = panels.get(key)
    return stem === undefined ? [] : `panel = ${id}, ${dyeOf(stem)}`
  })
  const { nodes, database } = world.engine('ADMIN')
  const query = `ALTER TABLE ${database}.metric_rollup UPDATE results = results + multiIf(${dyes.join(', ')}, 0)
                 WHERE 1 SETTINGS mutations_sync = 2`
  for (const node of nodes) await node.command({ query })
}

/** Whose sums are in an answer. */
export function summedIn(text: string): Stem[] {
  const counts = [...text.matchAll(/"sampleCount":(\d+)/g)].map(([, count]) => Number(count))
  return stems.filter((stem) => counts.some((count) => Math.floor(count / dyeOf(stem)) % digit > 0))
}

/** Whose sums have to be in an answer to a caller, and no others. */
export const summedFor = (caller: TenantName, whose: Stem, summed: Summed): Stem[] =>
  stems.filter((stem) => mayRead(caller, stem) && (summed === 'all' || (summed === 'the named') === (stem === whose)))
