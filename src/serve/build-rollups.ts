import { setTimeout as pause } from 'node:timers/promises'
import { removeBuilds } from '../compile/rollup/late-results.ts'
import { runMaintenance } from '../engine/clickhouse/ingest/run-maintenance.ts'
import { ifNobodyElse } from '../engine/postgres/dictionary-events.ts'
import { OperatorError, type Operator } from '../engine/postgres/operator/operator.ts'
import { findDeadBuilds, forgetBuilds } from '../engine/postgres/operator/rollups.ts'
import { buildNext, noteStored, type RollupStores, type Wanted } from '../jobs/build-rollups.ts'

/** For a service that is building, or that has yet to tell the engine of changes. */
const patienceMs = 120_000

/** Builds everything that is due, and takes away what nobody asks any more. Answers how many days were built. */
export async function buildRollups(operator: Operator, stores: RollupStores, wanted: Wanted): Promise<number> {
  await patiently(() => noteStored(stores).then((done) => (done ? true : null)))
  let days = 0
  for (;;) {
    const turn = await patiently(async () => {
      const one = await buildNext(stores, { ...wanted, atOnce: true })
      return one.outcome === 'busy' || one.outcome === 'waiting' ? null : one
    })
    if (turn.outcome === 'nothing') break
    if (turn.outcome === 'built') days += turn.build.last - turn.build.first + 1
  }
  await patiently(() => sweepBuilds(operator, stores))
  return days
}

async function sweepBuilds(operator: Operator, { postgres, clickhouse }: RollupStores): Promise<boolean | null> {
  return ifNobodyElse(postgres, 'rolling', async () => {
    const builds = await findDeadBuilds(operator)
    if (builds.length === 0) return true
    const { nodes, database, cluster } = clickhouse
    for (const node of nodes) await runMaintenance(node, removeBuilds(database, cluster === null, builds))
    await forgetBuilds(operator, builds)
    return true
  })
}

/** Again and again while the answer is null; after two minutes it says why not. */
export async function patiently<Result>(
  work: () => Promise<Result | null>,
  otherwise = 'Somebody else is building, or the engine has not been told of a change of metadata: is a service running? Try again.',
): Promise<Result> {
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline;) {
    const result = await work()
    if (result !== null) return result
    // Shorter than a keeper rests between two builds, or it would always be at it again.
    await pause(100)
  }
  throw new OperatorError(otherwise)
}
