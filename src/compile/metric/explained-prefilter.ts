import { bind, identifier, join, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import { own } from './agent-sums.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { inUnit, over, type Step } from './statistics.ts'

const isMatched = (excludes: Sql): Sql => sql`ifNull(${excludes}, false)`

const bitOf = (index: number): Sql => numberLiteral(2 ** index)

/**
 * The functions of this file count what the prefilter removes from each point. The prefilter is then not a condition of the
 * statement. Instead, its rules are a key of the first level, with one bit for each rule that matches a row. The key is 0 if
 * no rule matches. The second level has up to two groups for each point: the rows that the prefilter keeps, and the rows that
 * it removes. Both groups have valid statistics. The statement returns the group of the kept rows.
 */
export function matchedRules({ metric: { prefilter } }: MetricPlan): Alias {
  const bits = prefilter.map(({ excludes }, index) => sql`${bitOf(index)} * (${isMatched(excludes)})`)
  return { name: 'own_rules', value: sql`toUInt16(${bits.reduce((all, bit) => sql`${all} + ${bit}`, sql`0`)})` }
}

/** The key of the second level. */
export const isKept: Alias = { name: 'is_kept', value: sql`own_rules = 0` }

export function prefilterSums({ metric: { prefilter } }: MetricPlan): readonly Alias[] {
  const results = own('sample_count')
  const sumOf = (condition: (bit: Sql) => Sql): Sql =>
    prefilter.length === 0
      ? sql`emptyArrayUInt64()`
      : sql`[${join(
          prefilter.map((_, index) => sql`sumIf(${results}, ${condition(bitOf(index))})`),
          ', ',
        )}]`
  return [
    { name: 'matched', value: sumOf((bit) => sql`bitAnd(own_rules, ${bit}) > 0`) },
    { name: 'alone', value: sumOf((bit) => sql`own_rules = ${bit}`) },
    { name: 'point_agents', value: sql`groupBitmapState(${own('agent')})` },
  ]
}

/** `keys` are the names of the keys of a point. */
export function prefilterSteps(plan: MetricPlan, keys: readonly Sql[]): readonly Step[] {
  const all = (aggregate: Sql): Sql => over(aggregate, keys)
  const kept = (column: Sql): Sql => all(sql`sumIf(${column}, is_kept)`)
  return [
    [
      { name: 'has_kept', value: all(sql`max(is_kept)`) },
      { name: 'prefilter_before', value: all(sql`sum(sample_count)`) },
      { name: 'prefilter_removed', value: all(sql`sumIf(sample_count, NOT is_kept)`) },
      {
        name: 'prefilter_agentsLost',
        value: sql`toUInt64(${all(sql`groupBitmapMerge(point_agents)`)} - ${kept(sql`agent_count`)})`,
      },
      { name: 'all_matched', value: all(sql`sumForEach(matched)`) },
      { name: 'all_alone', value: all(sql`sumForEach(alone)`) },
      ...unfilteredSums(plan).map(({ name, value }) => ({ name, value: all(value) })),
    ],
    [
      { name: 'prefilter_unfilteredValue', value: unfilteredValue(plan) },
      { name: 'prefilter_rules', value: ruleCounts(plan) },
    ],
  ]
}

/** The columns that `include: ["prefilter"]` adds to a point. */
export const prefilterColumns: readonly Alias[] = [
  'prefilter_before',
  'prefilter_removed',
  'prefilter_unfilteredValue',
  'prefilter_agentsLost',
  'prefilter_rules',
].map((name) => ({ name, value: identifier(name) }))

function ruleCounts({ metric: { prefilter } }: MetricPlan): Sql {
  const type = sql`'Array(Tuple(name String, version UInt16, matched UInt64, alone UInt64))'`
  const rules = prefilter.map(
    ({ name, version }, index) =>
      sql`(${literal(name)}, ${numberLiteral(version)}, all_matched[${numberLiteral(index + 1)}], all_alone[${numberLiteral(index + 1)}])`,
  )
  return sql`CAST([${join(rules, ', ')}], ${type})`
}

/**
 * Adds up the numbers of each schedule block over the two groups of a point. If a group has no results in a block, its number
 * is 1 instead of 0 (see `blockSums`). The function leaves it out, because the block then has 0 hours.
 */
const inBlocks = (name: Sql): Sql => sql`sumForEach(arrayMap((n, h) -> if(h > 0, n, 0), ${name}, each_hours))`

/** Returns the sums from which the statement computes the value of a point without the prefilter. */
function unfilteredSums({ normalised, metric: { measure } }: MetricPlan): readonly Alias[] {
  const isValue = measure.kind === 'value'
  if (!normalised) {
    const [above, below] = isValue ? [sql`total`, sql`sample_count`] : [sql`numerators`, sql`denominators`]
    return [
      { name: 'all_above', value: sql`sum(${above})` },
      { name: 'all_below', value: sql`sum(${below})` },
    ]
  }
  return [
    { name: 'all_hours', value: sql`maxForEach(each_hours)` },
    { name: 'all_results', value: inBlocks(sql`each_results`) },
    { name: 'all_above', value: sql`sumForEach(${isValue ? sql`each_total` : sql`each_numerators`})` },
    ...(isValue ? [] : [{ name: 'all_below', value: inBlocks(sql`each_denominators`) }]),
  ]
}

const weighted = (values: Sql): Sql =>
  sql`arraySum((h, n, v) -> h / greatest(n, 1) * toFloat64(v), all_hours, all_results, ${values})`

/** The value of the point without the prefilter. */
function unfilteredValue(plan: MetricPlan): Sql {
  const isValue = plan.metric.measure.kind === 'value'
  if (!plan.normalised) {
    const ratio = sql`toFloat64(all_above) / toFloat64(all_below)`
    return isValue ? inUnit(plan, ratio) : sql`100 * ${ratio}`
  }
  return isValue
    ? inUnit(plan, sql`(${weighted(sql`all_above`)} / arraySum(all_hours))`)
    : sql`100 * ${weighted(sql`all_above`)} / ${weighted(sql`all_below`)}`
}

/** For raw points: the names of the rules that match a row. */
export function removedBy({ metric: { prefilter } }: MetricPlan): Sql {
  if (prefilter.length === 0) return sql`emptyArrayString()`
  const names = bind(
    'Array(String)',
    prefilter.map(({ name }) => name),
  )
  const matches = prefilter.map(({ excludes }) => isMatched(excludes))
  return sql`arrayFilter((name, is_matched) -> is_matched, ${names}, [${join(matches, ', ')}])`
}
