import { exactColumns } from '../compile/metric/per-agent/agent-columns.ts'
import { fractionOf, percentileKeys } from '../compile/metric/distribution/percentile-levels.ts'
import { betaQuantile, binomialQuantile } from './binomial.ts'
import { mapInPortions } from './map-in-portions.ts'

type Row = readonly unknown[]
type Points = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

/** The probability of each tail of a 95 % interval. */
const tail = 0.025

/**
 * Replaces the columns that only the service needs with exact 95 % intervals: the interval of the share of agents that reach a
 * threshold, and the intervals of the percentiles of the agents. Both kinds of interval hold for any distribution. ClickHouse
 * has no functions that compute them.
 */
export async function withExactIntervals(
  { columns, rows }: Points,
  levels: readonly string[] = percentileKeys({}),
): Promise<Points> {
  const agents = columns.indexOf(exactColumns.agents)
  if (agents === -1) return { columns, rows }
  const shares = memoised(shareInterval)
  const ranks = memoised((count) => levels.map((key) => ranksOf(count, fractionOf(Number(key)))))
  const replaced = columns.map((name, index): readonly [readonly string[], (row: Row) => Row] => {
    if (name === exactColumns.agents) return [[], () => []]
    if (name === exactColumns.values) {
      const intervals = (row: Row): Row => {
        const count = Number(row[agents])
        return [percentileIntervals(row[index], count, ranks(count, 0))]
      }
      return [['percentileIntervals'], intervals]
    }
    if (name === 'reachingAgents') {
      return [shareColumns, (row) => [...shares(Number(row[agents]), Number(row[index])), row[index]]]
    }
    return [[name], (row) => [row[index]]]
  })
  return {
    columns: replaced.flatMap(([names]) => names),
    rows: await mapInPortions(rows, (row) => replaced.flatMap(([, values]) => values(row))),
  }
}

const shareColumns = ['reachingShare', 'reachingLow', 'reachingHigh', 'reachingAgents']

/** Returns the share in percent, and the two bounds of Clopper and Pearson's interval. */
function shareInterval(agents: number, reaching: number): readonly (number | null)[] {
  if (agents === 0) return [null, null, null]
  const low = reaching === 0 ? 0 : betaQuantile(tail, reaching, agents - reaching + 1)
  const high = reaching === agents ? 1 : betaQuantile(1 - tail, reaching + 1, agents - reaching)
  return [(100 * reaching) / agents, 100 * low, 100 * high]
}

type Ranks = readonly [low: number, high: number]

/**
 * Returns the ranks of the two agents whose values are the lower and the upper bound of a percentile. If a rank is below 1 or
 * above the number of agents, no agent has this rank, and the bound is null.
 */
const ranksOf = (agents: number, p: number): Ranks => [
  binomialQuantile(tail, agents, p),
  binomialQuantile(1 - tail, agents, p) + 1,
]

/**
 * Returns the two bounds of each percentile. `found` has one list for each lower bound, then one list for each upper bound: a
 * rank, and the values of the agents from this rank on.
 */
function percentileIntervals(
  found: unknown,
  agents: number,
  ranks: readonly Ranks[],
): readonly (readonly (number | null)[])[] {
  if (agents === 0) return []
  const valueAt = (bound: number, rank: number): number | null => {
    // A point with one agent has no interval, although the formula can give rank 1, for example for the percentiles 1 and 99.
    if (agents === 1 || rank < 1 || rank > agents) return null
    const [first, ...values] = listIn(listIn(found)[bound])
    const value = values[rank - Number(first)]
    if (typeof value !== 'number')
      throw new Error(`the values from rank ${Number(first)} on do not contain rank ${rank}`)
    return value
  }
  return ranks.map(([low, high], index) => [valueAt(index, low), valueAt(ranks.length + index, high)])
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Remembers the results of `compute`, because many points of a response have the same numbers of agents. */
function memoised<Value>(compute: (agents: number, reaching: number) => Value): typeof compute {
  const known = new Map<number, Map<number, Value>>()
  return (agents, reaching) => {
    const ofAgents = known.get(agents) ?? new Map<number, Value>()
    known.set(agents, ofAgents)
    const value = ofAgents.get(reaching) ?? compute(agents, reaching)
    ofAgents.set(reaching, value)
    return value
  }
}
