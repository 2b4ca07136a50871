import { bind, join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { Histogram } from '../../../check/metric/distribution.ts'
import { countsOf, type AgentSum } from '../agent-sums.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { resultValue, type Step } from '../statistics.ts'

/** Adds up how many results of a point are in each bin. */
export const histogramSums = (plan: MetricPlan): readonly AgentSum[] =>
  plan.histogram === undefined
    ? []
    : [{ name: 'bins', ofAgent: sql`groupArray(${binOf(plan.histogram, resultValue(plan))})`, ofPoint: countsOf }]

/** Adds up how many agents of a point have a statistic in each bin. */
export const agentHistogramSums = ({ histogram }: MetricPlan, value: Sql, counts: Sql): readonly Alias[] =>
  histogram === undefined
    ? []
    : [{ name: 'bins', value: sql`sumMapIf([${binOf(histogram, value)}], [toUInt64(1)], ${counts})` }]

/**
 * Returns the number of the bin that contains a value. The statement compares values in the unit of the metric, as raw points
 * contain them. So a reader who counts raw points gets the same counts. `roundDown` finds the edge by binary search.
 *
 * With n edges, bin 0 is below the first edge, and bin n above the last edge. The last bin between two edges includes its
 * upper edge.
 */
function binOf(histogram: Histogram, value: Sql): Sql {
  if ('bins' in histogram) return logBinOf(value)
  const { edges } = histogram
  const bound = boundEdges(histogram)
  const numbers = bind(
    'Array(UInt8)',
    edges.map((_, index) => index + 1),
  )
  const found = sql`transform(roundDown(${value}, ${bound}), ${bound}, ${numbers}, 0)`
  const isBelow = sql`(${value} < ${bound}[1])`
  const isLastEdge = edges.length === 1 ? sql`` : sql` - (${value} = ${bound}[-1])`
  return sql`toUInt8(${found} - ${isBelow}${isLastEdge})`
}

const boundEdges = ({ edges }: { readonly edges: readonly number[] }): Sql => sql`${bind('Array(Float64)', edges)}`

/** The mantissas of 2^(1/8) to 2^(7/8) without their first bit, as whole numbers of 52 bits. */
export const logMantissas: readonly number[] = [
  407_610_591_105_403, 852_113_092_622_101, 1_336_846_507_715_111, 1_865_452_045_155_277, 2_441_900_471_263_451,
  3_070_521_937_417_133, 3_756_038_507_177_095,
]

/** The bin of values that have no logarithm. Every other bin has a larger number. */
const notPositive = sql`-32768`

/** Bin 8·e + i begins at 2^(e + i/8). The exponent and the mantissa are compared as whole numbers, so no logarithm is rounded. */
function logBinOf(value: Sql): Sql {
  const bits = sql`reinterpretAsUInt64(${value})`
  const mantissa = sql`bitAnd(${bits}, 4503599627370495)`
  const steps = join(
    logMantissas.map((least) => sql`+ (${mantissa} >= ${numberLiteral(least)})`),
    ' ',
  )
  return sql`toInt16(if(${value} > 0, 8 * (toInt32(bitShiftRight(${bits}, 52)) - 1023) ${steps}, ${notPositive}))`
}

/** Returns the lower edge of a logarithmic bin. */
const logEdgeOf = (bin: Sql): Sql =>
  sql`reinterpretAsFloat64(bitOr(bitShiftLeft(toUInt64(1023 + intDiv(${bin} - bitAnd(${bin}, 7), 8)), 52), [toUInt64(0), ${join(logMantissas.map(numberLiteral), ', ')}][bitAnd(${bin}, 7) + 1]))`

const countIn = (bin: Sql): Sql => sql`bins.2[indexOf(bins.1, ${bin})]`

/**
 * Returns the steps that compute the histogram of a point. The columns of a point cannot compute it: they are inside `if`, and
 * ClickHouse evaluates lambdas inside `if` row by row.
 */
export function histogramSteps({ histogram }: Pick<MetricPlan, 'histogram'>): readonly Step[] {
  if (histogram === undefined) return []
  if ('bins' in histogram) {
    return [
      [{ name: 'log_bins', value: sql`arrayFilter(bin -> bin > ${notPositive}, bins.1)` }],
      [{ name: 'bin_total', value: sql`if(empty(log_bins), 0, log_bins[-1] - log_bins[1] + 1)` }],
      [
        {
          name: 'bin_edges',
          value: sql`arrayMap(i -> ${logEdgeOf(sql`(log_bins[1] + i)`)}, range(bin_total + (bin_total > 0)))`,
        },
        { name: 'bin_counts', value: sql`arrayMap(i -> ${countIn(sql`log_bins[1] + i`)}, range(bin_total))` },
        { name: 'below_bins', value: countIn(notPositive) },
        { name: 'above_bins', value: sql`toUInt64(0)` },
      ],
    ]
  }
  const count = numberLiteral(histogram.edges.length)
  return [
    [{ name: 'all_bins', value: sql`arrayMap(bin -> ${countIn(sql`bin`)}, range(${count} + 1))` }],
    [
      { name: 'bin_edges', value: boundEdges(histogram) },
      { name: 'bin_counts', value: sql`arraySlice(all_bins, 2, ${count} - 1)` },
      { name: 'below_bins', value: sql`all_bins[1]` },
      { name: 'above_bins', value: sql`all_bins[-1]` },
    ],
  ]
}

export const histogramColumns = ({ histogram }: Pick<MetricPlan, 'histogram'>): readonly Alias[] =>
  histogram === undefined
    ? []
    : [
        { name: 'histogram_edges', value: sql`bin_edges` },
        { name: 'histogram_counts', value: sql`bin_counts` },
        { name: 'histogram_below', value: sql`below_bins` },
        { name: 'histogram_above', value: sql`above_bins` },
      ]

/** Returns the histogram columns of a point without results. */
export function emptyHistogram({ histogram }: Pick<MetricPlan, 'histogram'>): Readonly<Record<string, Sql>> {
  if (histogram === undefined) return {}
  const isLog = 'bins' in histogram
  return {
    histogram_edges: isLog ? sql`arraySlice(bin_edges, 1, 0)` : sql`bin_edges`,
    histogram_counts: isLog
      ? sql`arraySlice(bin_counts, 1, 0)`
      : sql`arrayWithConstant(length(bin_counts), toUInt64(0))`,
    histogram_below: sql`toUInt64(0)`,
    histogram_above: sql`toUInt64(0)`,
  }
}
