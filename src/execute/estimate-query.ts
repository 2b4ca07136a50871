import { newMeter } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import { exportLimits, limits } from '../base/limits.ts'
import { statement } from '../base/sql.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { percentileFields } from '../catalog/point-fields.ts'
import { isListFilter } from '../catalog/filter-types.ts'
import type { VisibleDimension } from '../catalog/visible.ts'
import { isAbsent, isObject } from '../check/field-faults.ts'
import { leavesOf, mapLeaves } from '../check/metric/filters/filter-tree.ts'
import { bucketsAtMost } from '../check/metric/periods.ts'
import { pointsMaxOf } from '../check/metric/distribution.ts'
import { groupsByAgent } from '../check/metric/point-statistics.ts'
import { pointStatement } from '../compile/metric/aggregate.ts'
import type { ResolvedLeaf } from '../compile/metric/filter-condition.ts'
import { changedPlan, everyPlanOf, plansOf, type MetricPlan } from '../compile/metric/metric-plan.ts'
import { rawPoints } from '../compile/metric/raw-points.ts'
import { compileTestRecords } from '../compile/metric/test-records.ts'
import { bytesOfRow, rowsToRead } from '../compile/metric/rows-to-read.ts'
import type { RollupTerms } from '../compile/rollup/rollup-terms.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { readEstimate } from '../engine/clickhouse/query/read-estimate.ts'
import { findKnownValues } from '../engine/postgres/values/find-values.ts'
import type { Stores } from '../engine/stores.ts'
import { listValues } from './list-values.ts'
import { roundedSeconds, type QueryCosts, type Seconds } from './query-costs.ts'
import type { PlannedRequest } from './plan-metric-request.ts'
import type { PlannedRecords } from './plan-test-request.ts'
import { withRollups } from './with-rollups.ts'

/** The estimated cost of a request. `pointsAtMost` is null if the response is a stream, whose length is not limited. */
export type QueryEstimate = {
  readonly rows: number
  readonly bytes: number
  readonly pointsAtMost: number | null
  readonly seconds: Seconds
  readonly fits: boolean
  readonly from: 'rollups' | 'results'
  readonly cheaper: readonly Cheaper[]
}

type Cheaper = { readonly change: Readonly<Record<string, string>>; readonly seconds: Seconds }

type Context = {
  readonly stores: Stores
  readonly catalog: Catalog
  readonly rollups: RollupTerms
  readonly costs: QueryCosts
  readonly now: () => Temporal.Instant
}

/** Where a response goes: exports have other limits than responses. */
type Destination = 'response' | 'file'

/** A request that has a `format` is a request for an export. */
export const destinationOf = (body: unknown): Destination =>
  isObject(body) && !isAbsent(body['format']) ? 'file' : 'response'

/** A request that takes less time than this needs no advice. */
const adviceMinSeconds = 1

export async function estimateMetricQuery(
  scope: Scope,
  context: Context,
  asked: PlannedRequest,
  destination: Destination,
  { requestId, signal }: Pick<AwaitedOrigin, 'requestId' | 'signal'>,
): Promise<QueryEstimate> {
  const plan = changedPlan(asked, { filters: await withoutForeignAgents(scope, context.stores, asked) })
  // Estimates read no results: they need no query slot, and do not count towards the quota of the organisation.
  const origin = { endpoint: 'POST /metric_data/estimate', requestId, panels: plan.panels, meter: newMeter(), signal }
  const [{ parts, rows, seconds }, values] = await Promise.all([
    costOf(scope, context, plan, origin),
    Promise.all(plan.splits.map((split) => valuesOf(scope, context, plan, split, origin))),
  ])
  const { aggregation } = plan
  const { database } = context.stores.clickhouse
  const statementOf = (one: MetricPlan) =>
    one.aggregation === null ? rawPoints(database, one) : pointStatement(database, one, one.aggregation, null)
  const pointsAtMost =
    aggregation === null
      ? null
      : Math.min(
          rows,
          sumOf(everyPlanOf(plan), ({ splits, aggregation: by, from, to }) =>
            splits.reduce(
              (all, _, index) => all * (values[index] ?? 1),
              bucketsAtMost(by ?? aggregation, { from, to }),
            ),
          ),
        )
  return {
    rows,
    bytes: sumOf(parts, (one) => one.rows * bytesOfRow(one.rolled, statement(statementOf(one.rolled).query))),
    pointsAtMost,
    seconds,
    fits:
      seconds[1] <= secondsMaxOf(destination, aggregation === null) &&
      (destination === 'file' || (pointsAtMost ?? 0) <= pointsMaxOf(plan)),
    from: parts.some(({ rolled }) => rolled.rolled !== undefined) ? 'rollups' : 'results',
    cheaper: seconds[1] < adviceMinSeconds ? [] : await findCheaper(scope, context, plan, seconds, origin),
  }
}

const unitNumber = /^(0|[1-9]\d{0,15})$/

/**
 * Removes agents and units that the caller cannot see from the filters. ClickHouse skips granules by the numbers of the agents,
 * so the estimate would otherwise tell whether another organisation has an agent.
 */
async function withoutForeignAgents(
  scope: Scope,
  { postgres }: Stores,
  plan: Pick<PlannedRequest, 'filters' | 'readable'>,
): Promise<MetricPlan['filters']> {
  const changed = leavesOf(plan.filters).map(async (leaf): Promise<readonly [ResolvedLeaf, ResolvedLeaf]> => {
    const { source } = leaf.dimension
    const isOneAgent = source.kind === 'agent' && (source.attribute === 'agent_id' || source.attribute === 'unit_id')
    if (!isOneAgent || !isListFilter(leaf.type)) return [leaf, leaf]
    const isUnit = source.attribute === 'unit_id'
    const values = isUnit ? leaf.values.filter((value) => unitNumber.test(value)) : leaf.values
    const sought = values.map((value) => ({ subject: isUnit ? 'unit' : 'agent', value }))
    const known = await findKnownValues(scope, postgres, plan.readable, sought)
    return [leaf, { ...leaf, values: known.map((position) => values[position] ?? '') }]
  })
  const leaves = new Map(await Promise.all(changed))
  return plan.filters.map((filter) => mapLeaves(filter, (leaf) => leaves.get(leaf) ?? leaf))
}

const rowsOfGranule = 8_192

/**
 * Rounds up to whole granules. A granule can contain rows of several panels, and the estimate counts all of them. If a data
 * part has fewer rows than a granule, the exact number would show how many results other organisations have.
 */
const wholeGranules = (rows: number): number => Math.ceil(rows / rowsOfGranule) * rowsOfGranule

/**
 * The seconds per row of a streamed response. `QueryCosts` does not record streams, because the reader decides how long a
 * stream takes.
 */
const secondsOfStreamedRow: Seconds = [0.5e-6, 4e-6]

export async function estimateTestQuery(
  scope: Scope,
  { stores }: Context,
  asked: PlannedRecords,
  destination: Destination,
  { requestId, signal }: Pick<AwaitedOrigin, 'requestId' | 'signal'>,
): Promise<QueryEstimate> {
  const { lookups } = stores
  const request = { ...asked, filters: await withoutForeignAgents(scope, stores, asked) }
  const { test, panels } = request
  const origin = { endpoint: 'POST /test_data/estimate', requestId, panels, meter: newMeter(), signal }
  const records = statement(compileTestRecords(request, lookups.database).query)
  const rows = wholeGranules((await readEstimate(scope, lookups, records, origin, test.key)).rows)
  const [low, high] = secondsOfStreamedRow
  const seconds: Seconds = [roundedSeconds(rows * low), roundedSeconds(0.1 + rows * high)]
  const fits = seconds[1] <= secondsMaxOf(destination, true)
  const bytes = rows * bytesOfRow({ test }, records)
  return { rows, bytes, pointsAtMost: null, seconds, fits, from: 'results', cheaper: [] }
}

function secondsMaxOf(destination: Destination, isStream: boolean): number {
  if (destination === 'file') return exportLimits.timeoutMs / 1000
  return (isStream ? limits.streamTimeoutMs : limits.statementTimeoutMs) / 1000
}

/** The cost of a request. `parts` are the metrics of the request. */
type Cost = {
  readonly parts: readonly { readonly rolled: MetricPlan; readonly rows: number; readonly seconds: Seconds }[]
  readonly rows: number
  readonly seconds: Seconds
}

const sumOf = <Part>(parts: readonly Part[], of: (part: Part) => number): number =>
  parts.reduce((sum, one) => sum + of(one), 0)

async function costOf(
  scope: Scope,
  { stores, rollups, costs, now }: Context,
  plan: MetricPlan,
  origin: AwaitedOrigin,
): Promise<Cost> {
  const { postgres, lookups } = stores
  const rolled = await withRollups(scope, { postgres, clickhouse: lookups }, plan, rollups, now(), origin)
  const parts = await Promise.all(
    everyPlanOf(rolled).map(async (one) => {
      const counted = statement(rowsToRead(lookups.database, one))
      const rows = wholeGranules((await readEstimate(scope, lookups, counted, origin, one.test.key)).rows)
      return { rolled: one, rows, seconds: costs.estimate(one, rows) }
    }),
  )
  const secondsAt = (end: 0 | 1): number => roundedSeconds(sumOf(parts, (one) => one.seconds[end]))
  return { parts, rows: sumOf(parts, ({ rows }) => rows), seconds: [secondsAt(0), secondsAt(1)] }
}

/**
 * Returns the largest number of series that a split can give, or `Infinity` if the split has too many values to count. Rows
 * without a value are a series too.
 */
async function valuesOf(
  scope: Scope,
  { stores, catalog }: Context,
  plan: MetricPlan,
  dimension: VisibleDimension,
  origin: AwaitedOrigin,
): Promise<number> {
  const filtered = plan.filters.flatMap((one) =>
    one.kind === 'leaf' && one.type === 'include' && one.dimension.id === dimension.id ? [one.values.length] : [],
  )
  const valuesMax = limits.valuesMax + 1
  const tests = [...new Set(plansOf(plan).map(({ test }) => test.key))]
  const asked = { dimension, tests, text: '', valuesMax }
  // The list of values is not there yet while an instance scans the results for the first time.
  const listed = await listValues(scope, stores, catalog, plan.panels, asked, origin).catch(() => null)
  const known = listed === null || listed.values.length === valuesMax ? Infinity : listed.values.length + 1
  return Math.min(known, ...filtered)
}

/** Changes of the request that would make it faster by a fifth or more. */
async function findCheaper(
  scope: Scope,
  context: Context,
  plan: MetricPlan,
  seconds: Seconds,
  origin: AwaitedOrigin,
): Promise<readonly Cheaper[]> {
  // A request that names percentiles needs them.
  if (plan.aggregation === null || plan.percentileLevels !== undefined) return []
  const fields = plan.fields.filter((name) => !percentileFields.includes(name))
  const withoutPercentiles = changedPlan(plan, { percentiles: 'none', fields })
  const changes: readonly (readonly [change: Cheaper['change'], changed: MetricPlan])[] = [
    ...(plan.percentiles === 'none' ? [] : [[{ percentiles: 'none' }, withoutPercentiles] as const]),
    ...(plan.include.length > 0 || plan.perAgent !== undefined || plan.compare !== undefined || !groupsByAgent(plan)
      ? []
      : [
          [
            { percentiles: 'none', intervals: 'results' },
            changedPlan(withoutPercentiles, { intervals: 'results' }),
          ] as const,
        ]),
  ]
  const found = await Promise.all(
    changes.map(async ([change, changed]) => ({
      change,
      seconds: (await costOf(scope, context, changed, origin)).seconds,
    })),
  )
  return found.filter((one) => one.seconds[1] <= 0.8 * seconds[1])
}
