import { join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { DimensionSource } from '../../../catalog/dimensions.ts'
import { pointFields } from '../../../catalog/point-fields.ts'
import { topMax, type Top } from '../../../check/metric/series/top.ts'
import { percentileKeys } from '../distribution/percentile-levels.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'

type Ranked = Pick<MetricPlan, 'top' | 'splits'>

/**
 * With `top`, a part of the statement ranks the series by their totals (`topSeries`). In the rest of the statement, every row
 * has a rank: that of its series, or 0 if the series is not among the first. All rows with the rank 0 are one series. They are
 * together before the statement groups by agent, so an agent of several such series counts once.
 */
export const rankKeys = ({ top }: Pick<MetricPlan, 'top'>): readonly Alias[] =>
  top === undefined ? [] : [{ name: 'series_rank', value: sql`row_rank` }]

/** Defines `row_rank`. `keys` are the values of the splits in a row. */
export const rankAliases = ({ top, splits }: Ranked, keys: readonly Sql[]): readonly Alias[] =>
  top === undefined
    ? []
    : [
        {
          name: 'row_rank',
          value: sql`transform(${seriesKey(splits, keys)}, top_series, range(1, length(top_series) + 1), 0)`,
        },
      ]

/** Without `others`, the statement reads only the rows of the first series. */
export const rankConditions = ({ top }: Pick<MetricPlan, 'top'>): readonly Sql[] =>
  top === undefined || top.others ? [] : [sql`row_rank > 0`]

/** Returns the value of a split in a row. The rows of the other series have no value. */
export const rankedKey = ({ top }: Pick<MetricPlan, 'top'>, key: Sql): Sql =>
  top === undefined ? key : sql`if(row_rank > 0, ${key}, defaultValueOfArgumentType(${key}))`

/** Returns what the response shows as the value of a split. */
export const rankedValue = ({ top }: Pick<MetricPlan, 'top'>, shown: Sql): Sql =>
  top === undefined ? shown : sql`if(series_rank > 0, ${shown}, NULL)`

/** Orders series by their rank. The other series come last. */
export const rankOrder = sql`if(series_rank = 0, ${numberLiteral(topMax + 1)}, series_rank)`

/** The column that marks the points of the other series. */
export const otherColumns = ({ top }: Pick<MetricPlan, 'top'>): readonly Alias[] =>
  top?.others === true ? [{ name: 'other', value: sql`toBool(series_rank = 0)` }] : []

/** A number or a text that distinguishes the series from each other. `keys` are the values of the splits. */
function seriesKey(splits: Ranked['splits'], keys: readonly Sql[]): Sql {
  const [first = sql`0`] = keys
  const isNumber = splits.length === 1 && splits.every(({ source }) => isWithoutNull(source))
  return isNumber ? sql`toUInt64(${first})` : sql`toJSONString(tuple(${join(keys, ', ')}))`
}

/** True if the keys of the dimension are whole numbers, and every row has one. */
const isWithoutNull = (source: DimensionSource): boolean =>
  source.kind === 'isp' ||
  source.kind === 'package' ||
  source.kind === 'clock' ||
  (source.kind === 'agent' && source.attribute === 'agent_id')

/** Returns the plan of a request for the totals that series are ranked by. */
export function rankingPlan(plan: MetricPlan, { by }: Top): MetricPlan {
  const { top: _t, compare: _c, histogram: _h, emptyBuckets: _e, reaching: _r, whole: _w, ...rest } = plan
  const name = by.split('.', 1)[0] ?? by
  const isPercentile = name === 'percentiles' || name === 'median'
  return {
    ...rest,
    include: [],
    fields: pointFields.filter((one) => one === name),
    percentiles: isPercentile ? plan.percentiles : 'none',
  }
}

/** The parts of a statement that selects totals. `from` is `FROM … WHERE …`, `shown` what a response shows for each split. */
type Totals = { readonly from: Sql; readonly shown: readonly Sql[]; readonly statistics: readonly Alias[] }

/**
 * Returns the definition of `top_series`: the keys of the first series in the order of their rank. Series without a value come
 * last, and equal series are in the order of their split values.
 */
export function topSeries({ splits, ...plan }: MetricPlan, { n, by, direction }: Top, totals: Totals): Sql {
  const keys = splits.map((_, index) => sql`split${numberLiteral(index + 1)}`)
  const value = totals.statistics.find(({ name }) => by === name || by.startsWith(`${name}.`))?.value
  if (value === undefined) throw new Error(`totals have no ${by}`)
  const level = percentileKeys(plan).indexOf(by.slice('percentiles.'.length))
  const ranked = by.startsWith('percentiles.') ? sql`(${value})[${numberLiteral(level + 1)}]` : value
  const order = [
    sql`${ranked} ${direction === 'desc' ? sql`DESC` : sql`ASC`} NULLS LAST`,
    ...totals.shown.map((one) => sql`${one} ASC NULLS LAST`),
  ]
  return sql`(
SELECT groupArray(series_key) FROM (
SELECT ${seriesKey(splits, keys)} AS series_key
${totals.from}
ORDER BY ${join(order, ', ')}
LIMIT ${numberLiteral(n)}
)
) AS top_series`
}
