import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import { filterCondition } from './filter-condition.ts'
import { type Alias, localTime } from './local-time.ts'
import { spanAsOf, spanAttribute } from './metadata-as-of.ts'
import type { MetricPlan } from './metric-plan.ts'
import { keptBySecond } from './retention.ts'

/**
 * The rows a metric is computed from: `FROM … WHERE …`, and the names that expressions over them may use: `span`,
 * `local_second`, and `number` or `numerator` and `denominator`.
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
    ...(plan.prefilter ? metric.prefilter.map(({ excludes }) => sql`NOT ifNull(${excludes}, false)`) : []),
    ...plan.filters.map((filter) => filterCondition(database, filter)),
  ]
  return {
    aliases: [
      { name: 'span', value: spanAsOf(database) },
      { name: 'zone', value: spanAttribute(database, 'zone_id', sql`span`) },
      ...localTime(offsets),
      ...measureAliases(metric),
    ],
    from: sql`FROM ${identifier(database)}.${identifier(test.key)}
WHERE ${join(conditions, '\n  AND ')}`,
  }
}

/**
 * First, always: what the caller may see, and when. The range in UTC is what the engine skips by, in days because its sort
 * key has days; the local one is exact.
 */
function scopeAndTime({ test, panels, erased, from, to, offsets, storedBefore, rolled }: MetricPlan): Sql[] {
  const ranges = (rolled?.rest ?? [{ from, to }]).map((range) => [
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

const anyOf = (ranges: readonly (readonly Sql[])[]): Sql =>
  sql`(${ranges.map((range) => sql`(${join(range, ' AND ')})`).reduce((all, one) => sql`${all} OR ${one}`)})`

/** The engine's dates begin in 1970. */
const dayOf = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(Math.max(seconds, 0) * 1000)
    .toString()
    .slice(0, 10)

/** A failed test is no sample: never a speed of zero. A share is of every row that attempted something. */
function conditionsOf({ measure, rows }: MetricDefinition, hasOutcome: boolean): Sql[] {
  const only = rows === undefined ? [] : [rows]
  if (measure.kind === 'ratio') return [...only, sql`${measure.denominator} > 0`, sql`isNotNull(${measure.numerator})`]
  return [...only, ...(hasOutcome ? [sql`successes >= 1`] : []), sql`isNotNull(${measure.integer})`]
}

function measureAliases({ measure }: MetricDefinition): Alias[] {
  if (measure.kind === 'value') return [{ name: 'number', value: sql`toInt64(assumeNotNull(${measure.integer}))` }]
  return [
    { name: 'numerator', value: sql`toInt64(assumeNotNull(${measure.numerator}))` },
    { name: 'denominator', value: sql`toInt64(assumeNotNull(${measure.denominator}))` },
    { name: 'percentage', value: sql`100 * numerator / denominator` },
  ]
}

export const withAliases = (aliases: readonly Alias[]): Sql =>
  sql`WITH
  ${join(aliases.map(aliased), ',\n  ')}`

export const aliased = ({ name, value }: Alias): Sql => sql`${value} AS ${identifier(name)}`

/** What is left of agents that are being erased is no more to be seen, however long removing it takes. */
export const notErased = (erased: readonly number[]): Sql[] =>
  erased.length === 0 ? [] : [sql`agent NOT IN ${bind('Array(UInt32)', erased)}`]

/** Leaves out what was stored from `storedBefore` on: whoever asks again gets the same rows. */
export const pinned = (storedBefore: Temporal.Instant | undefined): Sql[] =>
  storedBefore === undefined ? [] : [sql`ingested_at < ${instant(storedBefore)}`]

/** In milliseconds, when the last of a test's results was stored that bears a time from `since` on; 0 where none does. */
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
