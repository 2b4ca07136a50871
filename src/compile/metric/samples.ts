import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { Measure } from '../../catalog/measure.ts'
import { leavesOf } from '../../check/metric/filters/filter-tree.ts'
import { explainsPrefilter } from '../../check/metric/point-statistics.ts'
import { windowConditions } from './clock/clock-value.ts'
import { isClock } from './clock/week.ts'
import { filterConditions, sideAliases } from './comparison/sides.ts'
import type { ResolvedFilter } from './filter-condition.ts'
import { type Alias, localTime } from './local-time.ts'
import { spanAsOf, spanAttribute } from './metadata-as-of.ts'
import type { MetricPlan } from './metric-plan.ts'
import { withinPage } from './page/keyset.ts'
import { rankAliases, rankConditions } from './series/top-series.ts'
import { splitValues } from './dimension-value.ts'
import { hasPlan, planAliases } from './relative-to-plan.ts'
import { keptBySecond } from './retention.ts'

/**
 * The rows that a metric is computed from. `from` is `FROM … WHERE …`. `aliases` are expressions over these rows: `span`,
 * `zone`, `local_second`, and either `number`, or `numerator` and `denominator`.
 */
export type Samples = { readonly aliases: readonly Alias[]; readonly from: Sql }

export function samples(database: string, plan: MetricPlan): Samples {
  const { metric, test, offsets } = plan
  const conditions = [
    ...scopeAndTime(plan),
    ...conditionsOf(
      metric,
      test.columns.some(({ name }) => name === 'successes'),
    ),
    ...(plan.prefilter && !explainsPrefilter(plan)
      ? metric.prefilter.map(({ excludes }) => sql`NOT ifNull(${excludes}, false)`)
      : []),
    ...filterConditions(database, { ...plan, filters: clockLast(plan.filters) }),
    ...windowConditions(plan.window),
    ...(plan.relativeTo !== undefined && plan.aggregation === null ? [hasPlan] : []),
    ...rankConditions(plan),
    ...withinPage(plan),
  ]
  return {
    aliases: [
      { name: 'span', value: spanAsOf(database) },
      { name: 'zone', value: spanAttribute(database, 'zone_id', sql`span`) },
      ...localTime(offsets),
      ...sideAliases(database, plan),
      ...planAliases(database, plan),
      ...rankAliases(plan, splitValues(database, plan)),
      ...measureAliases(metric),
    ],
    from: sql`FROM ${identifier(database)}.${identifier(test.key)}
WHERE ${join(conditions, '\n  AND ')}`,
  }
}

/**
 * The first conditions of every query: the caller's panels and the time range. The UTC range lets ClickHouse skip granules. It
 * is in whole days because the sort key contains days. The range in local time is exact.
 */
function scopeAndTime({ test, panels, erased, from, to, offsets, storedBefore, rolled, compare }: MetricPlan): Sql[] {
  const base = compare?.base.kind === 'time' ? [compare.base.range] : []
  const ranges = (rolled?.rest ?? [{ from, to }, ...base]).map((range) => [
    sql`toDate(dtime) BETWEEN ${bind('Date', dayOf(range.from - offsets.greatest))} AND ${bind('Date', dayOf(range.to - offsets.least))}`,
    sql`local_second BETWEEN ${bind('Int64', range.from)} AND ${bind('Int64', range.to)}`,
  ])
  return [
    sql`panel IN ${bind('Array(UInt32)', panels)}`,
    ...notErased(erased),
    ...(ranges.length === 1 ? ranges.flat() : [anyOf(ranges)]),
    ...keptBySecond(test.keepDays, sql`local_second`),
    ...pinned(storedBefore),
  ]
}

/**
 * Puts filters by local time last: ClickHouse can skip granules by filters such as `agent`, but no index contains the local
 * time.
 */
const clockLast = (filters: MetricPlan['filters']): MetricPlan['filters'] => [
  ...filters.filter((filter) => !isByClock(filter)),
  ...filters.filter(isByClock),
]

const isByClock = (filter: ResolvedFilter): boolean =>
  leavesOf([filter]).some(({ dimension }) => isClock(dimension.source))

const anyOf = (ranges: readonly (readonly Sql[])[]): Sql =>
  sql`(${ranges.map((range) => sql`(${join(range, ' AND ')})`).reduce((all, one) => sql`${all} OR ${one}`)})`

/** Times before 1970 become 1970-01-01, because a ClickHouse `Date` cannot be earlier. */
const dayOf = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(Math.max(seconds, 0) * 1000)
    .toString()
    .slice(0, 10)

/**
 * Excludes failed tests, so that a failure never counts as a speed of zero. A ratio uses every row that has at least one
 * attempt.
 */
function conditionsOf({ measure, rows }: MetricDefinition, hasOutcome: boolean): Sql[] {
  const only = rows === undefined ? [] : [rows]
  if (measure.kind === 'ratio') return [...only, sql`${measure.denominator} > 0`, sql`isNotNull(${measure.numerator})`]
  return [...only, ...(hasOutcome ? [sql`successes >= 1`] : []), sql`isNotNull(${measure.stored ?? measure.integer})`]
}

function measureAliases({ measure }: MetricDefinition): Alias[] {
  if (measure.kind === 'value') {
    const type = isWide(measure) ? sql`toInt128` : sql`toInt64`
    return [{ name: 'number', value: sql`${type}(assumeNotNull(${measure.integer}))` }]
  }
  return [
    { name: 'numerator', value: sql`toInt64(assumeNotNull(${measure.numerator}))` },
    { name: 'denominator', value: sql`toInt64(assumeNotNull(${measure.denominator}))` },
    { name: 'percentage', value: sql`100 * numerator / denominator` },
  ]
}

export const isWide = (measure: Measure): boolean => measure.kind === 'value' && measure.isWide === true

/**
 * Returns the value of a sample for percentiles. A 128-bit number becomes a floating-point number, because ClickHouse has no
 * percentiles of 128-bit numbers.
 */
export function sampleValue(measure: Measure): Sql {
  if (measure.kind === 'ratio') return sql`percentage`
  return isWide(measure) ? sql`toFloat64(number)` : sql`number`
}

/** The square of `number`, in a type that cannot overflow. */
export const squareOfNumber = (measure: Measure): Sql =>
  isWide(measure) ? sql`toInt256(number) * number` : sql`toInt256(toInt128(number) * number)`

export const withAliases = (aliases: readonly Alias[]): Sql =>
  sql`WITH
  ${join(aliases.map(aliased), ',\n  ')}`

export const aliased = ({ name, value }: Alias): Sql => sql`${value} AS ${identifier(name)}`

/** Data of an agent that is being erased must be invisible at once, even if deleting it takes long. */
export const notErased = (erased: readonly number[]): Sql[] =>
  erased.length === 0 ? [] : [sql`agent NOT IN ${bind('Array(UInt32)', erased)}`]

/** Excludes rows that are stored at or after `storedBefore`, so that a repeated query returns the same rows. */
export const pinned = (storedBefore: Temporal.Instant | undefined): Sql[] =>
  storedBefore === undefined ? [] : [sql`ingested_at < ${instant(storedBefore)}`]

/**
 * Returns when the last result was stored (`ingested_at`), in milliseconds. Searches from `since` on, and returns 0 if there is
 * no such result.
 */
export const findLatestSince = (
  database: string,
  test: string,
  panels: readonly number[],
  since: Temporal.Instant,
): Sql =>
  sql`SELECT toUnixTimestamp64Milli(max(ingested_at)) FROM ${identifier(database)}.${identifier(test)}
WHERE panel IN ${bind('Array(UInt32)', panels)} AND ingested_at >= ${instant(since)}`

const instant = (at: Temporal.Instant) =>
  bind("DateTime64(3, 'UTC')", at.toString({ fractionalSecondDigits: 3 }).slice(0, -1).replace('T', ' '))
