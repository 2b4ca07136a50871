import { bind, identifier, join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { Aggregation } from '../../../catalog/aggregations.ts'
import type { LocalRange } from '../../../check/metric/periods.ts'
import { explainsPrefilter } from '../../../check/metric/point-statistics.ts'
import { agentsWith, filterCondition, groupableCondition, keyFilter, type ResolvedLeaf } from '../filter-condition.ts'
import { bucketOf, bucketOfDay, localDay, type Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { planKeys } from '../relative-to-plan.ts'
import { rankKeys } from '../series/top-series.ts'

/**
 * In each point, the results of the base form a group of their own: the column `side` is 0 for the base, and 1 for the results
 * that are compared with it. So the steps compute every statistic of a group as if the request had no comparison. A result
 * that belongs to both sides of the comparison is counted in both groups. If the base is a series of a split, it is a group
 * already, and the column is not needed.
 */
export const sideKeys = ({ compare }: MetricPlan): readonly Alias[] =>
  compare === undefined || compare.base.kind === 'split' ? [] : [{ name: 'side', value: sql`row_side` }]

/** Defines `row_side`: 0 for a row of the base, 1 for a row of the results that are compared with it. */
export function sideAliases(database: string, plan: MetricPlan): readonly Alias[] {
  const base = plan.compare?.base
  if (base === undefined || base.kind === 'split') return []
  if (base.kind === 'filters') {
    return [{ name: 'row_side', value: sidesOf(allOf(database, plan.filters), allOf(database, base.filters)) }]
  }
  const own = isWithin(plan)
  const isDisjoint = base.range.to < plan.from || base.range.from > plan.to
  return [{ name: 'row_side', value: isDisjoint ? sql`toUInt8(${own})` : sidesOf(own, isWithin(base.range)) }]
}

/**
 * Returns the side of a row, or both sides. A row belongs to at least one side, because the conditions of the statement demand
 * it.
 */
const sidesOf = (own: Sql, base: Sql): Sql => sql`arrayJoin([[0], [1], [0, 1]][toUInt8(${base}) + 2 * toUInt8(${own})])`

const isWithin = ({ from, to }: LocalRange): Sql =>
  sql`(local_second BETWEEN ${bind('Int64', from)} AND ${bind('Int64', to)})`

function allOf(database: string, filters: MetricPlan['filters']): Sql {
  if (filters.length === 0) return sql`1`
  const conditions = filters.map((filter) => sql`ifNull(${groupableCondition(database, filter)}, 0)`)
  return sql`(${join(conditions, ' AND ')})`
}

/**
 * Returns the conditions by filters. If the base has filters of its own, a row must match either these filters or the filters
 * of the request.
 */
export function filterConditions(database: string, { filters, compare }: MetricPlan): readonly Sql[] {
  if (compare?.base.kind !== 'filters') return filters.map((filter) => filterCondition(database, filter))
  const base = compare.base.filters
  if (filters.length === 0 || base.length === 0) return []
  return [sql`(${allOf(database, filters)} OR ${allOf(database, base)})`]
}

/** Returns the bucket of a row. A row of an earlier base period gets the bucket of the period that is compared with it. */
export function sideBucket({ compare }: MetricPlan, aggregation: Aggregation): Sql {
  const shiftDays = compare?.base.kind === 'time' ? compare.base.shiftDays : 0
  if (shiftDays === 0) return bucketOf(aggregation)
  const day = sql`toDate(toUInt16(${localDay} + if(row_side = 0, ${numberLiteral(shiftDays)}, 0)))`
  return bucketOfDay(aggregation, day) ?? bucketOf(aggregation)
}

/** Returns the condition that is true for the groups whose points the response shows. */
export const shownSides = ({ compare }: MetricPlan): readonly Sql[] =>
  compare === undefined || compare.base.kind === 'split' ? [] : [sql`side = 1`]

/**
 * How a statement finds the base of each group. `keys`: the columns in which a group and its base are equal. `isBase`: a
 * condition that only the base satisfies.
 */
type BaseGroup = { readonly keys: readonly Sql[]; readonly isBase: Sql }

export function baseGroup(database: string, plan: MetricPlan, compare: NonNullable<MetricPlan['compare']>): BaseGroup {
  const { base } = compare
  const split = base.kind === 'split' ? plan.splits.findIndex(({ id }) => id === base.filter.dimension.id) : -1
  const keys = [
    sql`bucket`,
    ...plan.splits.flatMap((_, index) => (index === split ? [] : [splitKey(index)])),
    ...rankKeys(plan).map(({ name }) => identifier(name)),
  ]
  const conditions = [
    base.kind === 'split' ? isBaseSeries(database, base.filter, splitKey(split)) : sql`side = 0`,
    ...planKeys(plan).map(({ name }) => identifier(name)),
    ...(explainsPrefilter(plan) ? [sql`is_kept`] : []),
  ]
  return { keys, isBase: sql`(${join(conditions, ' AND ')})` }
}

/** The name of the key column of a split. */
export const splitKey = (index: number): Sql => identifier(`split${index + 1}`)

function isBaseSeries(database: string, filter: ResolvedLeaf, key: Sql): Sql {
  const { source } = filter.dimension
  const condition =
    source.kind === 'agent' && source.attribute === 'agent_id'
      ? sql`${key} IN ${agentsWith(database, 'agent_id', bind('Array(String)', filter.values))}`
      : keyFilter(filter, key)
  return sql`ifNull(${condition}, 0)`
}
