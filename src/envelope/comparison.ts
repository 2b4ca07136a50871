import type { MetricDefinition } from '../catalog/define-metric.ts'
import type { Compare, Margin } from '../check/metric/compare.ts'
import type { AgentPoints } from '../check/metric/per-agent.ts'
import { comparedColumn, comparedNumbers } from '../compile/metric/comparison/comparison.ts'
import { mapInPortions } from './map-in-portions.ts'
import { holm, twoSidedTail, tWithTail } from './t-distribution.ts'

/** The parts of a request that a comparison depends on, besides the numbers of a point. */
export type Compared = {
  readonly metric: Pick<MetricDefinition, 'higherIsBetter' | 'measure'>
  /** Present if the request has `metrics`. The first column of a row is then the key of its metric. */
  readonly each?: readonly { readonly metric: Pick<MetricDefinition, 'key' | 'higherIsBetter' | 'measure'> }[]
  readonly compare?: Omit<Compare, 'base'>
} & AgentPoints

type Verdict = 'higher' | 'lower' | 'not_distinguishable' | 'equivalent'

/** How a point differs from its base. The intervals have the confidence 1 − alpha, and are not adjusted. */
export type Comparison = {
  readonly base: number
  readonly baseAgents: number
  readonly sharedAgents: number
  readonly difference: number
  readonly standardError: number | null
  readonly low: number | null
  readonly high: number | null
  readonly ratio: number | null
  readonly ratioLow: number | null
  readonly ratioHigh: number | null
  readonly degreesOfFreedom: number | null
  readonly pValue: number | null
  readonly pAdjusted: number | null
  readonly verdict: Verdict
  readonly better: boolean | null
}

export type Numbers = Readonly<Record<(typeof comparedNumbers)[number], number>>

type Row = readonly unknown[]
type Points = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

/**
 * Replaces the numbers that ClickHouse has computed for each point with the comparison of the point and its base. `rows` must
 * contain all points of the response, because a p-value is adjusted for the number of comparisons. Returns
 * `comparisons.number`: the number of comparisons with a p-value.
 */
export async function withComparisons(
  asked: Compared,
  { columns, rows }: Points,
): Promise<Points & { readonly comparisons?: { readonly number: number } }> {
  const place = columns.indexOf(comparedColumn)
  if (place === -1 || asked.compare === undefined) return { columns, rows }
  const { compare, perAgent } = asked
  const ofMetrics = new Map(
    asked.each?.map(({ metric }) => [
      metric.key,
      testsOf({ metric, ...(perAgent === undefined ? {} : { perAgent }) }, compare),
    ]),
  )
  const ofFirst = testsOf(asked, compare)
  const testsOfRow = ([metric]: Row): Tests => ofMetrics.get(String(metric)) ?? ofFirst
  const tested = await mapInPortions(rows, (row) => testsOfRow(row).test(numbersIn(row[place])))
  const adjusted = adjustedOf(tested)
  const found = await mapInPortions(rows, (row, index) =>
    testsOfRow(row).conclude(tested[index] ?? null, adjusted[index] ?? null),
  )
  return {
    columns: columns.with(place, 'comparison'),
    rows: rows.map((row, index) => row.with(place, found[index] ?? null)),
    comparisons: { number: found.filter((one) => one !== null && one.pValue !== null).length },
  }
}

/** ClickHouse writes a number that does not exist, such as 0 / 0, as null. */
function numbersIn(value: unknown): Numbers {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const at = (name: (typeof comparedNumbers)[number]): number => Number(list[comparedNumbers.indexOf(name)] ?? NaN)
  return {
    value: at('value'),
    baseValue: at('baseValue'),
    agents: at('agents'),
    baseAgents: at('baseAgents'),
    sharedAgents: at('sharedAgents'),
    freedom: at('freedom'),
    baseFreedom: at('baseFreedom'),
    ownVariance: at('ownVariance'),
    baseVariance: at('baseVariance'),
    variance: at('variance'),
    ratioVariance: at('ratioVariance'),
    isUncompared: at('isUncompared'),
  }
}

export function comparisons(
  asked: Compared,
  compare: Omit<Compare, 'base'>,
  points: readonly Numbers[],
): readonly (Comparison | null)[] {
  const { test, conclude } = testsOf(asked, compare)
  const tested = points.map(test)
  const adjusted = adjustedOf(tested)
  return tested.map((one, index) => conclude(one, adjusted[index] ?? null))
}

/** Returns the p-values, adjusted for the number of comparisons of the response. */
const adjustedOf = (tested: readonly (Tested | null)[]): readonly (number | null)[] =>
  holm(tested.map((one) => one?.pValue ?? null))

type Tests = {
  readonly test: (numbers: Numbers) => Tested | null
  readonly conclude: (one: Tested | null, pAdjusted: number | null) => Comparison | null
}

function testsOf(asked: Compared, compare: Omit<Compare, 'base'>): Tests {
  const quantile = tWithTail(compare.alpha)
  const widened = isShare(asked) ? withVarianceOfExtremes(compare.alpha, quantile) : (numbers: Numbers) => numbers
  const direction = directionOf(asked)
  const isInMargin = marginTest(compare)
  return {
    test: (numbers) => (hasTwoSides(numbers) ? testOf(numbers, widened, quantile) : null),
    conclude: (one, pAdjusted) => {
      if (one === null) return null
      const verdict = verdictOf(one, pAdjusted, compare.alpha, isInMargin)
      const isHigher = verdict === 'higher'
      const isDistinguished = isHigher || verdict === 'lower'
      return {
        ...one,
        pAdjusted,
        verdict,
        better: isDistinguished && direction !== null ? isHigher === direction : null,
      }
    },
  }
}

const isShare = ({ metric: { measure }, perAgent }: Compared): boolean =>
  perAgent?.statistic === 'share' || measure.kind === 'ratio'

/**
 * The degrees of freedom of a side are its effective number of agents minus 1, but at least 1. A side in which one agent has most
 * of the weight has fewer than two effective agents.
 */
const atLeastOne = (freedom: number): number => Math.max(1, freedom)

/**
 * If a share is exactly 0 or 100 %, its agents do not differ, but the true share is still uncertain. The side gets the variance
 * that belongs to the half-width of the interval of such a share: the far limit of Clopper and Pearson.
 */
function withVarianceOfExtremes(alpha: number, quantile: (freedom: number) => number) {
  const ofSide = (share: number, freedom: number): number => {
    if (share !== 0 && share !== 100) return 0
    return ((100 * (1 - (alpha / 2) ** (1 / (freedom + 1)))) / quantile(atLeastOne(freedom))) ** 2
  }
  return (numbers: Numbers): Numbers => {
    const own = ofSide(numbers.value, numbers.freedom)
    const base = ofSide(numbers.baseValue, numbers.baseFreedom)
    if (own === 0 && base === 0) return numbers
    return {
      ...numbers,
      ownVariance: numbers.ownVariance + own,
      baseVariance: numbers.baseVariance + base,
      variance: numbers.variance + own + base,
      ratioVariance: numbers.ratioVariance + own / numbers.value ** 2 + base / numbers.baseValue ** 2,
    }
  }
}

const hasTwoSides = ({ agents, baseAgents, isUncompared }: Numbers): boolean =>
  agents > 0 && baseAgents > 0 && isUncompared !== 1

/** If a difference has no variance, it has a p-value only if each side of the comparison has at least this many agents. */
const certainAgentsMin = 10

type Tested = Omit<Comparison, 'pAdjusted' | 'verdict' | 'better'>

/** `quantile` returns the quantile of the t distribution for a number of degrees of freedom. */
function testOf(given: Numbers, widened: (numbers: Numbers) => Numbers, quantile: (freedom: number) => number): Tested {
  const { value, baseValue: base, agents, baseAgents, sharedAgents } = given
  const difference = value - base
  const untested = {
    base,
    baseAgents,
    sharedAgents,
    difference,
    standardError: null,
    low: null,
    high: null,
    ratio: null,
    ratioLow: null,
    ratioHigh: null,
    degreesOfFreedom: null,
    pValue: null,
  }
  if (agents < 2 || baseAgents < 2 || Number.isNaN(given.variance)) return untested
  const ratio = value > 0 && base > 0 ? value / base : null
  if (isWithoutVariance(given)) {
    const isCertain = difference !== 0 && agents >= certainAgentsMin && baseAgents >= certainAgentsMin
    const same = { low: difference, high: difference, ratioLow: ratio, ratioHigh: ratio, pValue: 0 }
    return { ...untested, ratio, degreesOfFreedom: freedomOf(given), standardError: 0, ...(isCertain ? same : {}) }
  }
  const numbers = widened(given)
  const degreesOfFreedom = freedomOf(numbers)
  const tested = { ...untested, ratio, degreesOfFreedom }
  if (hasUncertainSide(numbers)) return tested
  const standardError = Math.sqrt(numbers.variance)
  const t = quantile(degreesOfFreedom)
  const factor = Math.exp(t * Math.sqrt(numbers.ratioVariance))
  return {
    ...tested,
    standardError,
    low: difference - t * standardError,
    high: difference + t * standardError,
    ratioLow: ratio === null ? null : ratio / factor,
    ratioHigh: ratio === null ? null : finiteOrNull(ratio * factor),
    pValue: twoSidedTail(difference / standardError, degreesOfFreedom),
  }
}

/** JSON has no number for infinity. With one degree of freedom and a small alpha, the upper bound of a ratio can be as large. */
const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

/**
 * Returns the degrees of freedom of a comparison. If the two sides share no agents, returns Welch's degrees of freedom.
 * Otherwise returns the smaller of the degrees of freedom of the two sides.
 */
function freedomOf({ sharedAgents, ownVariance, baseVariance, ...sides }: Numbers): number {
  const total = ownVariance + baseVariance
  const [freedom, baseFreedom] = [atLeastOne(sides.freedom), atLeastOne(sides.baseFreedom)]
  if (sharedAgents > 0 || total === 0) return Math.min(freedom, baseFreedom)
  // The result is at least 1, because the degrees of freedom of each side are at least 1. Rounding can give a slightly smaller
  // number.
  return atLeastOne(total ** 2 / (ownVariance ** 2 / freedom + baseVariance ** 2 / baseFreedom))
}

/** Sums of floating-point numbers have a rounding error of this order. A smaller deviation counts as 0. */
const rounding = 1e-12

/** The largest variance that rounding errors of the values can cause. */
const variancesOfRounding = ({ value, baseValue }: Numbers): number =>
  (rounding * Math.max(Math.abs(value), Math.abs(baseValue))) ** 2

const isWithoutVariance = (numbers: Numbers): boolean => {
  const { ownVariance, baseVariance, variance } = numbers
  return variance <= Math.max(variancesOfRounding(numbers), rounding ** 2 * (ownVariance + baseVariance))
}

/** If a few agents of a side happen to have the same value, it is unknown how much such agents differ. */
function hasUncertainSide(numbers: Numbers): boolean {
  const { agents, baseAgents, ownVariance, baseVariance } = numbers
  const least = variancesOfRounding(numbers)
  return (agents < certainAgentsMin && ownVariance <= least) || (baseAgents < certainAgentsMin && baseVariance <= least)
}

function verdictOf(
  one: Tested,
  pAdjusted: number | null,
  alpha: number,
  isInMargin: (one: Tested) => boolean,
): Verdict {
  if (pAdjusted === null) return 'not_distinguishable'
  if (pAdjusted < alpha) return one.difference > 0 ? 'higher' : 'lower'
  return isInMargin(one) ? 'equivalent' : 'not_distinguishable'
}

/**
 * Returns a function that says whether the 1 − 2·alpha interval lies inside the margin. This is the same as two one-sided
 * tests at alpha.
 */
function marginTest({ alpha, margin }: Omit<Compare, 'base'>): (one: Tested) => boolean {
  if (margin === undefined) return () => false
  const quantile = tWithTail(2 * alpha)
  return ({ difference, standardError, degreesOfFreedom, base }) =>
    standardError !== null &&
    degreesOfFreedom !== null &&
    Math.abs(difference) + quantile(degreesOfFreedom) * standardError < marginOf(margin, base)
}

const marginOf = (margin: Margin, base: number): number =>
  margin.in === 'unit' ? margin.value : (Math.abs(base) * margin.value) / 100

/**
 * Returns true if a higher value is better, false if a lower value is better, and null if neither is better. If the value is a
 * share of results below a bound, the direction of the metric is reversed.
 */
function directionOf({ metric: { higherIsBetter }, perAgent }: Compared): boolean | null {
  if (higherIsBetter === null) return null
  const isReversed = perAgent?.statistic === 'share' && perAgent.threshold.is === 'below'
  return isReversed ? !higherIsBetter : higherIsBetter
}
