import { join, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Measure } from '../../catalog/measure.ts'
import { fractionList } from './distribution/percentile-levels.ts'
import type { Alias } from './local-time.ts'
import { isWide } from './samples.ts'
import type { Step } from './statistics.ts'

/**
 * Exact weighted percentiles (type 7) of a point. Sorting pairs of value and weight would cost ten times as much as sorting
 * numbers. Instead, each value carries the number of its block in the five lowest bits of its mantissa. In whole numbers below
 * 2^47 these bits are zero, so these numbers stay exact. Larger numbers and percentages change by less than one part in 10^14,
 * unless all weights are equal.
 */
const valueBits = sql`18446744073709551584`

const taggedWithBlock = (value: Sql): Sql =>
  sql`reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(toFloat64(${value})), ${valueBits}), block))`

/** The aggregates over rows that `weightedPercentiles` needs. The second restores the bits that the first overwrites. */
export const weightedValues = (measure: Measure, value: Sql): readonly Alias[] => [
  { name: 'tagged', value: sql`groupArray(${taggedWithBlock(value)})` },
  ...(losesBits(measure)
    ? [{ name: 'lost_bits', value: sql`groupArray(toUInt8(bitAnd(reinterpretAsUInt64(toFloat64(${value})), 31)))` }]
    : []),
]

/** The values of other measures are whole numbers, and no test can measure a value of 2^47 or more. */
const losesBits = (measure: Measure): boolean => measure.kind === 'ratio' || isWide(measure)

export const valueOf = (tagged: Sql): Sql =>
  sql`reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(${tagged}), ${valueBits}))`
export const blockOf = (tagged: Sql): Sql => sql`toUInt8(bitAnd(reinterpretAsUInt64(${tagged}), 31))`

/**
 * The index of the first chunk whose cumulative weight satisfies a condition. Rounding can make the last sum slightly too
 * small, so that no chunk satisfies it. Then this is the index of the last chunk.
 */
const chunkWhere = (condition: Sql): Sql =>
  sql`arrayMap(a -> if(arrayExists(e -> ${condition}, chunk_ends), arrayFirstIndex(e -> ${condition}, chunk_ends), length(chunk_ends)), windows)`

const slice = (position: Sql): Sql =>
  sql`arraySlice(sorted, (first_chunks[${position}] - 1) * 256 + 1, greatest(last_chunks[${position}] - first_chunks[${position}] + 1, 0) * 256)`

/** The fraction, from 0 to 1, of the window of a percentile that lies below a cumulative weight. */
const below = (weight: Sql): Sql => sql`least(greatest((${weight} - a) * effective, 0), 1)`

/**
 * True if a result has the same weight in every block. The percentiles are then computed from the values
 * without weights, because rounded sums of weights would change the last digits of the percentiles.
 */
const equalWeights = sql`arrayAll((h, n) -> h = 0 OR h * sample_count = n * weight, each_hours, each_results)`

const onlyIfEqual = (values: Sql): Sql => sql`arraySlice(${values}, 1, if(equal_weights, length(${values}), 0))`

const equalValues = (measure: Measure): Sql =>
  losesBits(measure)
    ? sql`arrayMap((x, bits) -> reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(x), ${valueBits}), bits)), ${onlyIfEqual(sql`tagged`)}, ${onlyIfEqual(sql`lost_bits`)})`
    : sql`arrayMap(x -> ${valueOf(sql`x`)}, ${onlyIfEqual(sql`tagged`)})`

/**
 * Sorts the values and counts them by block, in chunks of 256. The cumulative weights at the ends of the chunks show which
 * chunks contain a percentile; only these chunks are read value by value. A percentile is the mean of the values in a window of
 * the cumulative weight. The width of the window is 1 / `effective`.
 */
const weightedLevels = (levels: Sql, positions: readonly Sql[]): readonly Step[] => [
  [
    {
      name: 'block_weights',
      value: sql`arrayMap((h, n) -> h / n / weight, each_hours, each_results)`,
    },
    { name: 'sorted', value: sql`arraySort(tagged)` },
    { name: 'windows', value: sql`arrayMap(p -> (effective - 1) * p / effective, [${levels}])` },
  ],
  [
    {
      name: 'chunk_blocks',
      value: sql`arrayReduceInRanges('countResample(0, 24, 1)', arrayMap(i -> (i * 256 + 1, 256), range(intDiv(length(sorted) + 255, 256))), arrayMap(s -> ${blockOf(sql`s`)}, sorted))`,
    },
  ],
  [
    {
      name: 'chunk_ends',
      value: sql`arrayCumSum(arrayMap(counts -> arraySum((c, w) -> c * w, arrayResize(counts, length(block_weights)), block_weights), chunk_blocks))`,
    },
  ],
  [
    { name: 'last_chunks', value: chunkWhere(sql`e >= a + 1 / effective`) },
    { name: 'begin_chunks', value: chunkWhere(sql`e > a`) },
  ],
  [
    // For each percentile, read only the chunks that no earlier percentile has read.
    {
      name: 'first_chunks',
      value: sql`arrayMap((begin, seen) -> greatest(begin, seen + 1), begin_chunks, arrayPopBack(arrayPushFront(last_chunks, 0)))`,
    },
  ],
  [
    { name: 'slices', value: sql`[${join(positions.map(slice), ', ')}]` },
    { name: 'slice_starts', value: sql`arrayMap(first -> if(first = 1, 0, chunk_ends[first - 1]), first_chunks)` },
  ],
  [
    {
      name: 'ends',
      value: sql`arrayMap((s, start) -> arrayMap(c -> c + start, arrayCumSum(arrayMap(x -> block_weights[${blockOf(sql`x`)} + 1], s))), slices, slice_starts)`,
    },
  ],
  [
    {
      name: 'starts',
      value: sql`arrayMap((e, start) -> arraySlice(arrayPushFront(e, start), 1, length(e)), ends, slice_starts)`,
    },
  ],
  [
    { name: 'near_values', value: sql`arrayMap(x -> ${valueOf(sql`x`)}, arrayFlatten(slices))` },
    { name: 'near_ends', value: sql`arrayFlatten(ends)` },
    { name: 'near_starts', value: sql`arrayFlatten(starts)` },
  ],
  [
    {
      // An `if` would make ClickHouse evaluate its branches row by row, which takes many times as long.
      // The last bits of each value contain the number of its block. `least` and `greatest` prevent these bits from moving a
      // percentile outside the range of the values.
      name: 'levels',
      value: sql`[arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (${below(sql`e`)} - ${below(sql`s`)}), near_values, near_ends, near_starts), toFloat64(least)), toFloat64(greatest)), windows), arrayReduce('quantilesExactInclusive(${levels})', equal_values)][equal_weights + 1]`,
    },
  ],
]

/**
 * Computes the weighted percentiles at `fractions`, which must ascend. The steps use the columns of `weightedValues` and the
 * steps of the normalised mean.
 */
export const weightedPercentiles = (measure: Measure, fractions: readonly number[]): readonly Step[] => [
  [{ name: 'equal_weights', value: equalWeights }],
  [{ name: 'equal_values', value: equalValues(measure) }],
  ...weightedLevels(
    fractionList(fractions),
    fractions.map((_, index) => numberLiteral(index + 1)),
  ),
]
