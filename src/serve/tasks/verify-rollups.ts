import { newMeter } from '../../base/audit.ts'
import { statement } from '../../base/sql.ts'
import { daily } from '../../catalog/aggregations.ts'
import { pointFields } from '../../catalog/point-fields.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { Dimension } from '../../catalog/dimensions.ts'
import { pointStatement } from '../../compile/metric/aggregate.ts'
import { metricPlan, type MetricPlan } from '../../compile/metric/metric-plan.ts'
import { coarsestFirst, isOfGrain, rolledDimensions } from '../../compile/rollup/grains.ts'
import type { Zone } from '../../compile/metric/clock/zone-offsets.ts'
import { findPoints, type PointRow } from '../../engine/clickhouse/query/find-points.ts'
import { withRollups } from '../../execute/with-rollups.ts'
import type { RollupStores } from '../../jobs/rollup/build-rollups.ts'

/** A day for which the rollup and the results give different values. */
type Difference = {
  readonly panel: string
  readonly metric: string
  readonly day: string
  readonly column: string
  readonly rollup: unknown
  readonly results: unknown
}

/** `comparisons` is the number of queries that ran both on rollups and on results. 0 means that nothing was verified. */
export type Verified = { readonly comparisons: number; readonly differences: readonly Difference[] }

export type VerifiedPanel = { readonly key: string; readonly id: number; readonly ownerId: number }

const tolerance = 1e-9

/**
 * Compares rollups with results, for a range of days since 1970. It runs queries with and without prefilter and normalisation,
 * split at each grain.
 */
export async function verifyDays(
  stores: RollupStores,
  zones: readonly Zone[],
  panel: VerifiedPanel,
  metric: MetricDefinition,
  days: { readonly first: number; readonly last: number },
): Promise<Verified> {
  const found: Difference[] = []
  let comparisons = 0
  for (const { splits, isMade } of splitsOf(stores, metric)) {
    for (const prefilter of [false, true]) {
      for (const normalised of isMade ? [prefilter] : [false, true]) {
        const request = {
          metric,
          panels: [panel.id],
          from: days.first * 86_400,
          to: (days.last + 1) * 86_400 - 1,
          aggregation: daily,
          normalised,
          prefilter,
          splits: splits.map((dimension) => ({ ...dimension, metrics: null })),
          filters: [],
          percentiles: 'sketch' as const,
          fields: pointFields,
          intervals: 'results' as const,
          include: [],
        }
        const differences = await compare(stores, panel, metricPlan(request, stores.catalog, zones, []))
        if (differences === null) continue
        comparisons += 1
        found.push(...differences)
      }
    }
  }
  // Report one difference per day, which is enough to know that the day must be rebuilt.
  const differences = [...Map.groupBy(found, ({ day }) => day).values()].flatMap(([first]) => first ?? [])
  return { comparisons, differences }
}

/**
 * Returns one set of splits per grain. ClickHouse adds up the grains `isp` and `package` from finer grains, so they need only
 * half the queries.
 */
function splitsOf({ catalog }: RollupStores, metric: MetricDefinition): { splits: Dimension[]; isMade: boolean }[] {
  const test = catalog.tests.find(({ key }) => key === metric.test)
  const sources = new Set(rolledDimensions(catalog, test).map(({ source }) => source))
  const own = catalog.dimensions.filter(({ source }) => sources.has(source))
  return coarsestFirst.map((grain) => ({
    // Use only some dimensions: splitting by all of them would give a point for nearly every result.
    splits: own.filter((one) => (grain === 'every' ? one.source.kind === 'column' : isOfGrain(one, grain))).slice(0, 4),
    isMade: grain === 'isp' || grain === 'package',
  }))
}

/** Returns null if no day of the plan has a rollup. */
async function compare(stores: RollupStores, panel: VerifiedPanel, plan: MetricPlan): Promise<Difference[] | null> {
  const scope = { organisationId: panel.ownerId }
  const { clickhouse, terms, now, signal } = stores
  const origin = {
    endpoint: 'broadgauge rollup verify',
    requestId: 'verify',
    panels: plan.panels,
    meter: newMeter(),
    signal,
  }
  const rolled = await withRollups(scope, stores, plan, terms, now(), origin)
  if (rolled.rolled === undefined) return null
  const ask = async (one: MetricPlan) => {
    const { columns, query } = pointStatement(clickhouse.database, one, daily, null)
    return { columns, rows: await findPoints(scope, clickhouse, statement(query), origin) }
  }
  const [rolledUp, results] = [await ask(rolled), await ask(plan)]
  const labels = plan.splits.length + 1
  const keyOf = (row: PointRow): string => JSON.stringify(row.slice(0, labels))
  const byKey = new Map(rolledUp.rows.map((row) => [keyOf(row), row]))
  const keys = new Map(results.rows.map((row) => [keyOf(row), row]))
  return [...new Set([...byKey.keys(), ...keys.keys()])].flatMap((key) => {
    const [given, expected] = [byKey.get(key), keys.get(key)]
    const index = results.columns.findIndex((_, place) => !isNear(given?.[place], expected?.[place]))
    if (index === -1) return []
    const day = String((expected ?? given)?.[labels - 1])
    const column = results.columns[index] ?? ''
    return [
      { panel: panel.key, metric: plan.metric.key, day, column, rollup: given?.[index], results: expected?.[index] },
    ]
  })
}

function isNear(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return one.every((value, index) => isNear(value, other[index]))
  if (typeof one !== 'number' || typeof other !== 'number') return one === other
  return Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other)) + 1e-12
}
