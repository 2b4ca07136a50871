import { bind, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { isChronological } from '../../check/metric/periods.ts'
import { explainsPrefilter } from '../../check/metric/point-statistics.ts'
import { own } from './agent-sums.ts'
import {
  blocksOfElements,
  blocksOfPeriod,
  blocksOfSeries,
  weekdaysOfPeers,
  weekdaySums,
  type InPeers,
} from './clock/expected-blocks.ts'
import { dependsOnClock } from './clock/week.ts'
import { hasResults } from './series/empty-buckets.ts'
import { localDay, type Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { over, type Step } from './statistics.ts'

/**
 * Coverage compares the schedule blocks in which the agents of a point have results with the blocks in which the agents of its
 * series were expected to have results. An agent is expected in each block of the test's schedule, on every local day from its
 * first to its last day with a sample in the range. After its last day, an agent counts as gone and not as missing. If a
 * window, a split or a filter excludes hours of the week, only the blocks that contain other hours are expected.
 *
 * Returns the columns of the first level. They use the aliases of `blockAliases`.
 */
export const coverageOfAgent = (aggregation: Aggregation): readonly Alias[] => [
  { name: 'own_first', value: sql`min(${localDay})` },
  { name: 'own_last', value: sql`max(${localDay})` },
  { name: 'own_blocks', value: isWithinDay(aggregation) ? blocksOfDay : blocksOfDays },
  { name: 'own_late', value: sql`countIf(ingested_at > dtime + INTERVAL 24 HOUR)` },
  { name: 'own_newest', value: sql`max(ingested_at)` },
]

/** True if a point contains one day or a part of one day. */
const isWithinDay = (aggregation: Aggregation): boolean =>
  isChronological(aggregation) && (aggregation.hours !== null || aggregation.key === 'daily')

const blocksOfDay = sql`bitCount(groupBitOr(bitShiftLeft(toUInt32(1), block)))`
const blocksOfDays = sql`uniqExact(${localDay} * 32 + block)`

/**
 * Returns the columns of a level between the first and the second. `first_day` and `last_day` are the first and the last day
 * of an agent in the series. `is_first` and `is_last` say whether a point is the first or the last point that contains the
 * agent. An agent can have results in many points, and the second level counts it only in its first and its last point.
 */
export function coverageOfSeries(plan: MetricPlan, aggregation: Aggregation, splits: readonly Sql[]): readonly Alias[] {
  const all = (aggregate: Sql): Sql => over(aggregate, [...splits, own('agent'), ...kept(plan)])
  const isCounted = explainsPrefilter(plan) ? sql` AND own_rules = 0` : sql``
  return [
    { name: 'first_day', value: all(sql`min(own_first)`) },
    { name: 'last_day', value: all(sql`max(own_last)`) },
    { name: 'is_first', value: sql`bucket = ${all(sql`min(bucket)`)}${isCounted}` },
    { name: 'is_last', value: sql`bucket = ${all(sql`max(bucket)`)}${isCounted}` },
    ...elementDays(plan, aggregation, splits, all),
  ]
}

const kept = (plan: MetricPlan): readonly Sql[] => (explainsPrefilter(plan) ? [sql`own_rules = 0`] : [])

/**
 * Returns the number of points of an aggregation by day of the week or by day of the month, and null for every other
 * aggregation.
 */
function elementsOf({ key }: Aggregation): number | null {
  if (key === 'day_of_week') return 7
  return key === 'day_of_month' ? 31 : null
}

/**
 * Returns the column `element_days`: how many days from the agent's first to its last day are Mondays, Tuesdays, … or the
 * first, the second, … of a month. If the request depends on the local time, the column counts the schedule blocks of the days
 * of the month instead, and days of the week need no column.
 */
function elementDays(
  plan: MetricPlan,
  aggregation: Aggregation,
  splits: readonly Sql[],
  all: (aggregate: Sql) => Sql,
): readonly Alias[] {
  const elements = elementsOf(aggregation)
  if (elements === null) return []
  const days = sql`range(toUInt32(${all(sql`min(own_first)`)}), toUInt32(${all(sql`max(own_last)`)}) + 1)`
  if (dependsOnClock(plan)) {
    const isOfMonth = aggregation.key === 'day_of_month'
    return isOfMonth ? [{ name: 'element_days', value: blocksOfElements(plan, aggregation, splits, days) }] : []
  }
  const element = aggregation.key === 'day_of_week' ? sql`toDayOfWeek` : sql`toDayOfMonth`
  const counts = sql`arrayMap(e -> arrayCount(d -> ${element}(toDate(toUInt16(d))) = e, ${days}), range(1, ${numberLiteral(elements)} + 1))`
  return [{ name: 'element_days', value: counts }]
}

/** Returns the columns of the second level. */
export const coverageSums = (plan: MetricPlan, aggregation: Aggregation): readonly Alias[] => [
  { name: 'starting', value: sql`countIf(is_first)` },
  { name: 'starting_days', value: sql`sumIf(toInt64(first_day), is_first)` },
  { name: 'ending', value: sql`countIf(is_last)` },
  { name: 'ending_days', value: sql`sumIf(toInt64(last_day), is_last)` },
  ...(dependsOnClock(plan) ? weekdaySums : []),
  ...(elementsOf(aggregation) === null || (dependsOnClock(plan) && aggregation.key === 'day_of_week')
    ? []
    : [{ name: 'expected_elements', value: sql`sumForEachIf(element_days, is_first)` }]),
  { name: 'blocks_seen', value: sql`sum(own_blocks)` },
  { name: 'late', value: sql`sum(own_late)` },
  { name: 'newest', value: sql`max(own_newest)` },
]

/** Returns the steps that compute the expected schedule blocks. `splits` are the names of the key columns of a series. */
export function coverageSteps(plan: MetricPlan, aggregation: Aggregation, splits: readonly Sql[]): readonly Step[] {
  const ofSeries = (aggregate: Sql): Sql => over(aggregate, splits)
  const agents: Alias = { name: 'series_agents', value: ofSeries(sql`sum(starting)`) }
  if (!isChronological(aggregation)) {
    const expected = dependsOnClock(plan)
      ? blocksOfSeries(plan, aggregation, splits)
      : sql`(${daysOfSeries(aggregation, ofSeries)}) * ${blocksOf(plan, aggregation)}`
    return [[agents, { name: 'blocks_expected', value: sql`toUInt64(${expected})` }]]
  }
  // Points whose periods begin on the same day are peers. An agent that has its first result in one of them is expected in all
  // of them.
  const upTo = (column: Sql): Sql => over(sql`sum(${column})`, splits, sql`bucket_first`)
  const inPeers: InPeers = (aggregate) => over(aggregate, [...splits, sql`bucket_first`])
  return [
    [
      { name: 'bucket_first', value: sql`toInt64(${firstDay(aggregation)})` },
      { name: 'bucket_last', value: sql`toInt64(${lastDay(aggregation)})` },
    ],
    [
      agents,
      { name: 'started_before', value: sql`toInt64(${upTo(sql`starting`)} - ${inPeers(sql`sum(starting)`)})` },
      { name: 'gone', value: sql`toInt64(${upTo(sql`ending`)} - ${inPeers(sql`sum(ending)`)})` },
      ...(dependsOnClock(plan) ? weekdaysOfPeers(inPeers) : daysOfPeers(inPeers)),
    ],
    [
      {
        name: 'blocks_expected',
        value: dependsOnClock(plan)
          ? blocksOfPeriod(plan, aggregation, splits)
          : sql`toUInt64(((started_before - gone) * (bucket_last - bucket_first + 1) + days_of_starting - days_after_ending) * ${blocksOf(plan, aggregation)})`,
      },
    ],
  ]
}

const daysOfSeries = (aggregation: Aggregation, ofSeries: (aggregate: Sql) => Sql): Sql =>
  elementsOf(aggregation) === null
    ? sql`${ofSeries(sql`sum(ending_days)`)} - ${ofSeries(sql`sum(starting_days)`)} + ${ofSeries(sql`sum(starting)`)}`
    : sql`${ofSeries(sql`sumForEach(expected_elements)`)}[bucket]`

const daysOfPeers = (inPeers: InPeers): Step => [
  {
    name: 'days_of_starting',
    value: sql`${inPeers(sql`sum(starting)`)} * (bucket_last + 1) - ${inPeers(sql`sum(starting_days)`)}`,
  },
  {
    name: 'days_after_ending',
    value: sql`${inPeers(sql`sum(ending)`)} * bucket_last - ${inPeers(sql`sum(ending_days)`)}`,
  },
]

/** Returns how many blocks of the schedule overlap the hours of a bucket on one day. */
function blocksOf({ test: { schedule } }: MetricPlan, { hours }: Aggregation): Sql {
  if (hours === null) return numberLiteral(schedule.length - 1)
  if (hours === 1) return sql`1`
  const starts = Array.from({ length: 24 / hours }, (_, index) => index * hours)
  const counts = starts.map(
    (from) =>
      schedule.slice(0, -1).filter((start, index) => start < from + hours && (schedule[index + 1] ?? 24) > from).length,
  )
  return sql`${bind('Array(UInt8)', counts)}[intDiv(toHour(bucket), ${numberLiteral(hours)}) + 1]`
}

const firstDay = ({ hours }: Aggregation): Sql =>
  hours === null ? sql`toUInt16(bucket)` : sql`toUInt16(toDate(bucket))`

function lastDay({ key, hours }: Aggregation): Sql {
  if (hours !== null) return sql`toUInt16(toDate(bucket))`
  if (key === 'weekly') return sql`toUInt16(bucket) + 6`
  if (key === 'monthly') return sql`toUInt16(toLastDayOfMonth(bucket))`
  return key === 'quarterly' ? sql`toUInt16(addMonths(bucket, 3)) - 1` : sql`toUInt16(bucket)`
}

/** The columns that `include: ["coverage"]` adds to a point. */
export function coverageColumns(plan: MetricPlan, aggregation: Aggregation): readonly Alias[] {
  const isAny = hasResults(plan)
  const unless = (value: Sql, otherwise: Sql): Sql =>
    isAny === null ? value : sql`if(NOT ${isAny}, ${otherwise}, ${value})`
  const seen = unless(sql`blocks_seen`, sql`0`)
  return [
    { name: 'coverage_agentsOfRange', value: sql`series_agents` },
    { name: 'coverage_agentsSeen', value: unless(sql`agent_count`, sql`0`) },
    { name: 'coverage_agentsGone', value: isChronological(aggregation) ? sql`toUInt64(gone)` : sql`NULL` },
    { name: 'coverage_blocksSeen', value: seen },
    { name: 'coverage_blocksExpected', value: sql`blocks_expected` },
    { name: 'coverage_share', value: sql`${seen} / nullIf(blocks_expected, 0)` },
    { name: 'coverage_lateShare', value: unless(sql`late / sample_count`, sql`NULL`) },
    {
      name: 'coverage_newestStored',
      value: unless(sql`concat(replaceOne(toString(newest), ' ', 'T'), 'Z')`, sql`NULL`),
    },
  ]
}
