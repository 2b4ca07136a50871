import type { MetricRequest } from '../request.ts'
import type { Rules } from '../rules.ts'

export type Histogram = { edges: number[]; counts: number[]; below: number; above: number }

/** The member `histogram` of a point with these values, if the request asks for it. Counts have no weights. */
export function histogramOf(
  values: readonly number[],
  { histogram: bins }: Pick<MetricRequest, 'histogram'>,
  rules: Rules,
): { histogram?: Histogram } {
  if (bins === undefined) return {}
  return { histogram: 'edges' in bins ? byEdges(values, bins.edges, rules) : byDoublings(values) }
}

const countOf = (values: readonly number[], isCounted: (value: number) => boolean): number =>
  values.filter(isCounted).length

function byEdges(values: readonly number[], edges: readonly number[], rules: Rules): Histogram {
  const [first, last] = [edges[0] ?? NaN, edges.at(-1) ?? NaN]
  // A value that is equal to the only edge has reached it.
  const lastIsAbove = edges.length === 1 || rules.lastEdge === 'is above the bins'
  return {
    edges: [...edges],
    counts: edges.slice(1).map((end, index) => {
      const isLast = index === edges.length - 2 && !lastIsAbove
      return countOf(values, (value) => value >= (edges[index] ?? NaN) && (isLast ? value <= end : value < end))
    }),
    below: countOf(values, (value) => value < first),
    above: countOf(values, (value) => (lastIsAbove ? value >= last : value > last)),
  }
}

const binsOfDoubling = 8
const edgeOf = (bin: number): number => 2 ** (bin / binsOfDoubling)

/** The number k of the bin of a positive value, which is from 2^(k/8) to 2^((k + 1)/8). */
function binOf(value: number): number {
  let bin = Math.floor(Math.log2(value) * binsOfDoubling)
  while (edgeOf(bin) > value) bin -= 1
  while (edgeOf(bin + 1) <= value) bin += 1
  return bin
}

/** The bins from that of the smallest positive value to that of the largest. Other values are below all bins. */
function byDoublings(values: readonly number[]): Histogram {
  const bins = values.filter((value) => value > 0).map(binOf)
  const below = values.length - bins.length
  if (bins.length === 0) return { edges: [], counts: [], below, above: 0 }
  const [first, last] = [
    bins.reduce((one, other) => Math.min(one, other)),
    bins.reduce((one, other) => Math.max(one, other)),
  ]
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return {
    edges: [...all, last + 1].map(edgeOf),
    counts: all.map((bin) => bins.filter((one) => one === bin).length),
    below,
    above: 0,
  }
}
