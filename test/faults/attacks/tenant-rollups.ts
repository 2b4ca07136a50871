import { runSql } from '../../kit/run-sql.ts'
import { buildAll } from '../../features/rollup/build.ts'
import { until } from '../attempt.ts'
import { mayRead, stems, type Stem, type TenantName, type TenantWorld } from './tenant-world.ts'

/**
 * Which of the rollups that the caller may read must be in the response: all, those of the named tenant, or all except
 * those of the named tenant.
 */
export type Rolled = 'all' | 'the named' | 'the others'

const isBuilt = `SELECT 1 FROM rollup_days WHERE test = 'httpget' AND day = '2026-01-05' AND NOT stale`

/** Builds the rollups of all tenants for January, as the rollup job does, and marks them. */
export async function buildTenantRollups(tenants: TenantWorld): Promise<void> {
  const { world, names } = tenants
  const panels = new Map(stems.filter((stem) => stem !== 'nemos').map((stem) => [names[stem].panel, stem]))
  const january = { to: Date.parse('2026-01-31') / 86_400_000 }
  // The rollup job builds nothing until all metadata is published to ClickHouse.
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

/**
 * The number that is added to the result counts of a panel. Each panel has its own digit in this number. Real counts
 * never get that large.
 */
const dyeOf = (stem: Stem): number => 1_000 * digit ** stems.indexOf(stem)
const digit = 32

/**
 * Marks the rollups with impossible counts. So a response shows whether it comes from rollups, and from the rollups of
 * which tenants.
 */
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

/** The tenants whose rollups the response contains. */
export function rolledIn(text: string): Stem[] {
  const counts = [...text.matchAll(/"sampleCount":(\d+)/g)].map(([, count]) => Number(count))
  return stems.filter((stem) => counts.some((count) => Math.floor(count / dyeOf(stem)) % digit > 0))
}

/** The tenants whose rollups the response must contain. It must contain no others. */
export const rolledFor = (caller: TenantName, whose: Stem, rolled: Rolled): Stem[] =>
  stems.filter((stem) => mayRead(caller, stem) && (rolled === 'all' || (rolled === 'the named') === (stem === whose)))
