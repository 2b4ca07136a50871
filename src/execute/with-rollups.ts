import type { Scope } from '../base/caller.ts'
import { rollupLimits } from '../base/limits.ts'
import { statement } from '../base/sql.ts'
import type { MetricPlan } from '../compile/metric/metric-plan.ts'
import { dayNumber, firstKeptDay } from '../compile/metric/retention.ts'
import { findUnrecordedDays } from '../compile/rollup/late-results.ts'
import { rolledDays, wholeDays } from '../compile/rollup/rolled-days.ts'
import { rolledGrain } from '../compile/rollup/grains.ts'
import { findPoints } from '../engine/clickhouse/query/find-points.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { findRolledDays } from '../engine/postgres/rollup/find-rolled-days.ts'
import type { RollupTerms } from '../compile/rollup/rollup-terms.ts'
import type { Stores } from '../engine/stores.ts'

/** Adds rollups to the plans of a request: those of its points, and those of its totals. */
export async function withRollups(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'clickhouse'>,
  plan: MetricPlan,
  terms: RollupTerms,
  now: Temporal.Instant,
  origin: AwaitedOrigin,
): Promise<MetricPlan> {
  const points = withRollupsOfMetrics(scope, stores, plan, terms, now, origin)
  if (plan.totalPlans === undefined) return points
  const totalPlans = plan.totalPlans.map(async (one) => ({
    ...one,
    plan: await withRollupsOfMetrics(scope, stores, one.plan, terms, now, origin),
  }))
  return { ...(await points), totalPlans: await Promise.all(totalPlans) }
}

/** Adds rollups to the plan of each metric. Metrics of one test read the same days from rollups. */
async function withRollupsOfMetrics(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'clickhouse'>,
  plan: MetricPlan,
  terms: RollupTerms,
  now: Temporal.Instant,
  origin: AwaitedOrigin,
): Promise<MetricPlan> {
  if (plan.each === undefined) return withRollupsOfTest(scope, stores, plan, terms, now, origin)
  const ofTests = new Map<string, Promise<MetricPlan>>()
  for (const one of plan.each) {
    const { key } = one.test
    if (!ofTests.has(key)) ofTests.set(key, withRollupsOfTest(scope, stores, one, terms, now, origin))
  }
  const each = await Promise.all(
    plan.each.map(async (one) => {
      const rolled = (await ofTests.get(one.test.key))?.rolled
      return rolled === undefined ? one : { ...one, rolled }
    }),
  )
  const [{ rolled } = {}] = each
  return { ...plan, each, ...(rolled === undefined ? {} : { rolled }) }
}

/**
 * Adds to the plan the days that the query can read from rollups. It reads a day from the results instead in two cases:
 * - A requested panel has no valid rollup of that day.
 * - New results of that day, or of the day before or after it, arrived after the rollup job last recorded late results.
 */
async function withRollupsOfTest(
  scope: Scope,
  { postgres, clickhouse }: Pick<Stores, 'postgres' | 'clickhouse'>,
  plan: MetricPlan,
  terms: RollupTerms,
  now: Temporal.Instant,
  origin: AwaitedOrigin,
): Promise<MetricPlan> {
  const grain = rolledGrain(plan)
  const term = terms.get(plan.test.key)
  if (grain === null || term === undefined) return plan
  const today = dayNumber(now)
  const asked = wholeDays(plan)
  const first = Math.max(asked.first, firstKeptDay(term.keepDays, today))
  const last = Math.min(asked.last, today - rollupLimits.ageDays)
  if (first > last) return plan
  const found = await findRolledDays(scope, postgres, {
    test: plan.test.key,
    panels: plan.panels,
    version: term.version,
    first,
    last,
  })
  if (found === null || found.good.size === 0) return plan
  const unrecorded = statement(findUnrecordedDays(clickhouse.database, plan, { first, last }, found.recordedUpto))
  const late = await findPoints<[number]>(scope, clickhouse, unrecorded, origin)
  const touched = new Set(late.flatMap(([day]) => [day - 1, day, day + 1]))
  const good = new Map([...found.good].filter(([day]) => !touched.has(day)))
  const rolled = rolledDays(plan, grain, good)
  return rolled === null ? plan : { ...plan, rolled }
}
