import { removeBuilds } from '../../compile/rollup/late-results.ts'
import { runMaintenance } from '../../engine/clickhouse/ingest/run-maintenance.ts'
import { tryAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Operator } from '../../engine/postgres/operator/operator.ts'
import { findDeadBuilds, deleteBuilds } from '../../engine/postgres/operator/rollups.ts'
import { buildNext, recordStored, type RollupStores, type Wanted } from '../../jobs/rollup/build-rollups.ts'
import { retryFor, rollupsAreBusy } from './retry-for.ts'

/** Builds all rollups that are missing or outdated, and removes replaced builds. Returns the number of built days. */
export async function buildRollups(operator: Operator, stores: RollupStores, wanted: Wanted): Promise<number> {
  await retryFor(() => recordStored(stores).then((done) => (done ? true : null)), rollupsAreBusy)
  const sweep = () => retryFor(() => sweepBuilds(operator, stores), rollupsAreBusy)
  const days = await buildDue(stores, wanted).catch(async (error: unknown) => {
    // Sweep even after a failed build, because a failed build leaves the most rows. If both fail, the caller gets the error of
    // the build.
    await sweep().catch(() => {})
    throw error
  })
  await sweep()
  return days
}

/**
 * Builds all missing and outdated days. Days whose last build has failed come last, so they do not prevent the build of other
 * days.
 */
async function buildDue(stores: RollupStores, wanted: Wanted): Promise<number> {
  let days = 0
  for (;;) {
    const turn = await retryFor(async () => {
      const one = await buildNext(stores, { ...wanted, atOnce: true })
      return one.outcome === 'busy' || one.outcome === 'waiting' ? null : one
    }, rollupsAreBusy)
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
    await deleteBuilds(operator, builds)
    return true
  })
}
