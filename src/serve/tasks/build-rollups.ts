import { removeBuilds } from '../../compile/rollup/late-results.ts'
import { runMaintenance } from '../../engine/clickhouse/ingest/run-maintenance.ts'
import { tryAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Operator } from '../../engine/postgres/operator/operator.ts'
import { findDeadBuilds, forgetBuilds } from '../../engine/postgres/operator/rollups.ts'
import { buildNext, noteStored, type RollupStores, type Wanted } from '../../jobs/rollup/build-rollups.ts'
import { patiently, sumsAreBuilt } from './patiently.ts'

/** Builds everything that is due, and takes away what nobody asks any more. Answers how many days were built. */
export async function buildRollups(operator: Operator, stores: RollupStores, wanted: Wanted): Promise<number> {
  await patiently(() => noteStored(stores).then((done) => (done ? true : null)), sumsAreBuilt)
  const sweep = () => patiently(() => sweepBuilds(operator, stores), sumsAreBuilt)
  const days = await buildDue(stores, wanted).catch(async (error: unknown) => {
    // A build that fails leaves the most behind. What is told is why it failed, whatever becomes of that.
    await sweep().catch(() => {})
    throw error
  })
  await sweep()
  return days
}

/** What has failed before comes last: all the rest is built when it fails again. */
async function buildDue(stores: RollupStores, wanted: Wanted): Promise<number> {
  let days = 0
  for (;;) {
    const turn = await patiently(async () => {
      const one = await buildNext(stores, { ...wanted, atOnce: true })
      return one.outcome === 'busy' || one.outcome === 'waiting' ? null : one
    }, sumsAreBuilt)
    if (turn.outcome === 'nothing') return days
    if (turn.outcome === 'built') days += turn.build.last - turn.build.first + 1
  }
}

async function sweepBuilds(operator: Operator, { postgres, clickhouse }: RollupStores): Promise<boolean | null> {
  return tryAdvisoryLock(postgres, 'buildRollups', async () => {
    const builds = await findDeadBuilds(operator)
    if (builds.length === 0) return true
    const { nodes, database, cluster } = clickhouse
    for (const node of nodes) await runMaintenance(node, removeBuilds(database, cluster === null, builds))
    await forgetBuilds(operator, builds)
    return true
  })
}
