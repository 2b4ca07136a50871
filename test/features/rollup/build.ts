import { catalog, type Catalog } from '../../../src/catalog/catalog.ts'
import { rollupTerms } from '../../../src/compile/rollup/rollup-terms.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import {
  buildNext,
  recordStored,
  type RollupStores,
  type Turn,
  type Wanted,
} from '../../../src/jobs/rollup/build-rollups.ts'
import type { World } from '../../kit/world.ts'

/** A catalogue with one metric. A rollup of one metric takes a third of the time of a rollup of all metrics of its test. */
export const onlyMetric = (key: string): Catalog => {
  const metrics = catalog.metrics.filter((metric) => metric.key === key)
  return {
    ...catalog,
    metrics,
    tests: catalog.tests.filter((test) => metrics.some((metric) => metric.test === test.key)),
  }
}

/** Runs `work` with the stores of the rollup job. `signal` aborts the job, as an instance does when it stops. */
export async function withRollupStores<Result>(
  world: World,
  work: (stores: RollupStores) => Promise<Result>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Result> {
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  const postgres = openPostgres({ url, connectionsMax: 4, observe: () => {} })
  const clickhouse = world.engine('INGEST')
  const terms = rollupTerms(catalog, new Map())
  try {
    return await work({ postgres, clickhouse, catalog, terms, now: () => Temporal.Now.instant(), signal })
  } finally {
    await postgres.close()
  }
}

/** Sets the ingest time of all stored results to an hour ago. */
export async function ageResults(world: World, tests: readonly string[]): Promise<void> {
  const { nodes, database, cluster } = world.engine('ADMIN')
  for (const node of nodes)
    for (const test of tests)
      await node.command({
        query: `ALTER TABLE ${database}.${cluster === null ? test : `${test}_shard`} UPDATE ingested_at = now64(3) - INTERVAL 1 HOUR
                WHERE 1 SETTINGS mutations_sync = 2`,
      })
}

/** Records which days have results and builds all rollups that are due, as the rollup job does over time. */
export function buildAll(world: World, wanted: Wanted = {}, built: Catalog = catalog): Promise<Turn[]> {
  return withRollupStores(world, async (given) => {
    const stores = { ...given, catalog: built }
    await recordStored(stores)
    const turns: Turn[] = []
    for (;;) {
      const turn = await buildNext(stores, wanted)
      if (turn.outcome !== 'built' && turn.outcome !== 'invalidated') return turns
      turns.push(turn)
    }
  })
}
