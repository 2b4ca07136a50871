import { sql, type Sql } from '../../base/sql.ts'
import { percentileLevels, type Step } from '../metric/statistics.ts'

/**
 * A sketch counts values by their sign, exponent and first six binary digits: 64 bins for each doubling. The middle of a bin
 * is within 1/128 of every value in it. Bins are those of the numbers themselves, not of the data: sketches of the same
 * results are the same, however they were put together.
 */
export const sketchRelativeError = 1 / 128

/** Bins are in the order of the values: those of negative numbers are negative. 46 of the 52 binary digits are left out. */
export const binOf = (value: Sql): Sql =>
  sql`toInt32(if(${value} < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt64(toFloat64(abs(${value}))), 46)))`

/** The middle of a bin; nothing is in the bin of zero but zero. */
const middleOf = (bin: Sql): Sql =>
  sql`if(${bin} = 0, 0., if(${bin} < 0, -1, 1) * reinterpretAsFloat64(bitShiftLeft(toUInt64(abs(${bin})), 46) + bitShiftLeft(toUInt64(1), 45)))`

/** Share of a percentile's window that lies below a cumulated weight. */
const below = (weight: Sql): Sql => sql`least(greatest((${weight} - a) * effective, 0), 1)`

/**
 * Percentiles (type 7, weighted) of `sketch`: bins and the weight in each, over `weight` in all and as certain as `effective`
 * results. A percentile is the mean of the values over a window of the cumulated weight that is 1 / effective wide, so it is
 * as near to the true one as the bins' middles are to their values.
 */
export const sketchedPercentiles: readonly Step[] = [
  [
    { name: 'bin_middles', value: sql`arrayMap(bin -> ${middleOf(sql`bin`)}, sketch.1)` },
    { name: 'bin_ends', value: sql`arrayMap(c -> c / weight, arrayCumSum(sketch.2))` },
    { name: 'windows', value: sql`arrayMap(p -> (effective - 1) * p / effective, [${percentileLevels}])` },
  ],
  [{ name: 'bin_starts', value: sql`arrayPushFront(arrayPopBack(bin_ends), 0.)` }],
  [
    {
      name: 'levels',
      value: sql`arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (${below(sql`e`)} - ${below(sql`s`)}), bin_middles, bin_ends, bin_starts), toFloat64(least)), toFloat64(greatest)), windows)`,
    },
  ],
]
