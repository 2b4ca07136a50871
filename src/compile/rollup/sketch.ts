import { sql, type Sql } from '../../base/sql.ts'
import { fractionList, percentileLevelsOf } from '../metric/distribution/percentile-levels.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import type { Step } from '../metric/statistics.ts'

/**
 * A sketch counts values in bins. The bin of a value is given by its sign, its exponent and the first six bits of its mantissa,
 * so there are 64 bins per power of two. The middle of a bin differs from each value in it by at most 1/128 of the value. Bins
 * do not depend on the data, so sketches of the same results are equal, in whatever order they were merged.
 */
export const sketchRelativeError = 1 / 128

/**
 * Returns the bin of a value. The order of bins is the order of values: bins of negative numbers are negative. 46 of the 52
 * bits of the mantissa are dropped.
 */
export const binOf = (value: Sql): Sql =>
  sql`toInt32(if(${value} < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt64(toFloat64(abs(${value}))), 46)))`

/** The middle of a bin. Bin 0 contains only zero. */
const middleOf = (bin: Sql): Sql =>
  sql`if(${bin} = 0, 0., if(${bin} < 0, -1, 1) * reinterpretAsFloat64(bitShiftLeft(toUInt64(abs(${bin})), 46) + bitShiftLeft(toUInt64(1), 45)))`

/** The fraction of a percentile's window that is below a cumulative weight. */
const below = (weight: Sql): Sql => sql`least(greatest((${weight} - a) * effective, 0), 1)`

/**
 * Weighted percentiles (type 7) of `sketch`, which contains the bins and the weight in each bin. `weight` is the total weight,
 * and `effective` the effective sample size. A percentile is the mean of the values in a window of the cumulative weight. The
 * width of the window is 1 / `effective`. The relative error of a percentile is therefore not larger than that of the middle of
 * a bin.
 */
export const sketchedPercentiles = (plan: Pick<MetricPlan, 'percentileLevels'>): readonly Step[] => [
  [
    { name: 'bin_middles', value: sql`arrayMap(bin -> ${middleOf(sql`bin`)}, sketch.1)` },
    { name: 'bin_ends', value: sql`arrayMap(c -> c / weight, arrayCumSum(sketch.2))` },
    {
      name: 'windows',
      value: sql`arrayMap(p -> (effective - 1) * p / effective, [${fractionList(percentileLevelsOf(plan).all)}])`,
    },
  ],
  [{ name: 'bin_starts', value: sql`arrayPushFront(arrayPopBack(bin_ends), 0.)` }],
  [
    {
      name: 'levels',
      value: sql`arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (${below(sql`e`)} - ${below(sql`s`)}), bin_middles, bin_ends, bin_starts), toFloat64(least)), toFloat64(greatest)), windows)`,
    },
  ],
]
