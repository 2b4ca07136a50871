import { join, sql, type Sql } from '../../base/sql.ts'
import { percentileLevels, percentilePositions, type Step } from './statistics.ts'

/**
 * Exact weighted percentiles (type 7) of a point, without sorting pairs of value and weight, which costs ten times as much
 * as sorting numbers: a value carries its block in the five lowest bits of its mantissa. A whole number below 2^47 has
 * nothing there, so nothing is lost; a larger one, or a percentage, loses less than one part in 10^14.
 */
const valueBits = sql`18446744073709551584`

export const taggedWithBlock = (value: Sql): Sql =>
  sql`reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(toFloat64(${value})), ${valueBits}), block))`

const valueOf = (tagged: Sql): Sql => sql`reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(${tagged}), ${valueBits}))`
const blockOf = (tagged: Sql): Sql => sql`toUInt8(bitAnd(reinterpretAsUInt64(${tagged}), 31))`

/** The chunk in which the cumulated weight first fulfils a condition; rounding may leave the last end just short of it. */
const chunkWhere = (condition: Sql): Sql =>
  sql`arrayMap(a -> if(arrayExists(e -> ${condition}, chunk_ends), arrayFirstIndex(e -> ${condition}, chunk_ends), length(chunk_ends)), windows)`

const slice = (position: Sql): Sql =>
  sql`arraySlice(sorted, (first_chunks[${position}] - 1) * 256 + 1, greatest(last_chunks[${position}] - first_chunks[${position}] + 1, 0) * 256)`

/** Share of a percentile's window that lies below a cumulated weight. */
const below = (weight: Sql): Sql => sql`least(greatest((${weight} - a) * effective, 0), 1)`

/**
 * The sorted values are counted by block in chunks of 256. Cumulated weights at the ends of chunks then tell in which
 * chunks a percentile lies, and only those are looked at value by value.
 *
 * A percentile is the mean of the values over a window of the cumulated weight that is 1 / effective wide.
 */
export const weightedPercentiles: readonly Step[] = [
  [
    {
      name: 'block_weights',
      value: sql`arrayMap(b -> if(has(each_block, b), each_hours[indexOf(each_block, b)] / each_results[indexOf(each_block, b)] / weight, 0), range(arrayMax(each_block) + 1))`,
    },
    { name: 'sorted', value: sql`arraySort(tagged)` },
    { name: 'windows', value: sql`arrayMap(p -> (effective - 1) * p / effective, [${percentileLevels}])` },
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
    // Each percentile looks only at chunks that the one before has not looked at.
    {
      name: 'first_chunks',
      value: sql`arrayMap((begin, seen) -> greatest(begin, seen + 1), begin_chunks, arrayPopBack(arrayPushFront(last_chunks, 0)))`,
    },
  ],
  [
    { name: 'slices', value: sql`[${join(percentilePositions.map(slice), ', ')}]` },
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
      // What the tag took from the last digits must not put a percentile outside the values.
      name: 'levels',
      value: sql`arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (${below(sql`e`)} - ${below(sql`s`)}), near_values, near_ends, near_starts), toFloat64(least)), toFloat64(greatest)), windows)`,
    },
  ],
]
