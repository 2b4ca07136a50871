import type { Compare } from '../request.ts'
import { sum } from '../sums.ts'
import type { Rules } from '../rules.ts'
import type { Side } from './side.ts'
import { quantileOfTail, twoSided } from './student.ts'

/** The key of the scale of a comparison. It is a symbol, so that it is not in the JSON of the point. */
export const comparisonScale = Symbol('scale of the comparison')

export type Comparison = {
  base: number
  baseAgents: number
  sharedAgents: number
  difference: number
  standardError: number | null
  low: number | null
  high: number | null
  ratio: number | null
  ratioLow: number | null
  ratioHigh: number | null
  degreesOfFreedom: number | null
  pValue: number | null
  pAdjusted: number | null
  verdict: 'higher' | 'lower' | 'not_distinguishable' | 'equivalent'
  better: boolean | null
  /** The largest absolute value of both sides. */
  [comparisonScale]: number
}

/** Fewer agents that all have the same value get no verdict. */
const agentsOfVerdict = 10

const noStatistics = {
  standardError: null,
  low: null,
  high: null,
  ratio: null,
  ratioLow: null,
  ratioHigh: null,
  degreesOfFreedom: null,
  pValue: null,
  pAdjusted: null,
  verdict: 'not_distinguishable',
  better: null,
} as const

/** The comparison of one point, before it is adjusted. Its verdict says only whether it is equivalent. */
export function compared(
  ownSide: Side,
  baseSide: Side,
  { alpha = 0.05, margin, marginPercent }: Compare,
  rules: Rules,
): Comparison {
  const [own, base] = withoutExtremesIfNoAgentDiffers(ownSide, baseSide)
  const agents = [...new Set([...own.deltas.keys(), ...base.deltas.keys()])]
  const shared = agents.filter((agent) => own.deltas.has(agent) && base.deltas.has(agent)).length
  const difference = own.value - base.value
  const sides = {
    base: base.value,
    baseAgents: base.deltas.size,
    sharedAgents: shared,
    difference,
    [comparisonScale]: Math.max(own.greatest, base.greatest),
  }
  if (own.deltas.size === 1 || base.deltas.size === 1) return { ...sides, ...noStatistics }
  const squareOf = (one: number, other: number): number =>
    rules.sharedAgents === 'are paired' ? (one - other) ** 2 : one ** 2 + other ** 2
  const varianceWith = (ownUnit: number, baseUnit: number): number =>
    sum(
      agents.map((agent) => squareOf((own.deltas.get(agent) ?? 0) / ownUnit, (base.deltas.get(agent) ?? 0) / baseUnit)),
    ) +
    own.extremeVariance / ownUnit ** 2 +
    base.extremeVariance / baseUnit ** 2
  const standardError = Math.sqrt(varianceWith(1, 1))
  const degrees = degreesOf(own, base, shared)
  // An interval needs to know how much the agents of both sides differ.
  const isUnknown = [own, base].some((side) => side.deltas.size < agentsOfVerdict && varianceOf(side) === 0)
  const pValue = pValueOf(difference, standardError, degrees, own, base, isUnknown)
  // Without a standard error, the interval has no width if there is a verdict at all.
  const hasInterval = pValue !== null
  const halfWidth = (tail: number, error: number): number | null =>
    hasInterval ? quantileOfTail(tail, degrees) * error : null
  const half = halfWidth(alpha, standardError)
  const narrow = halfWidth(2 * alpha, standardError)
  const limit = margin ?? (marginPercent === undefined ? 0 : (marginPercent / 100) * Math.abs(base.value))
  const isInside = narrow !== null && standardError > 0 && Math.abs(difference) + narrow < limit
  const hasRatio = own.value > 0 && base.value > 0
  const ratio = own.value / base.value
  const width = hasRatio ? halfWidth(alpha, Math.sqrt(varianceWith(own.value, base.value))) : null
  return {
    ...sides,
    standardError: isUnknown && standardError > 0 ? null : standardError,
    low: half === null ? null : difference - half,
    high: half === null ? null : difference + half,
    ratio: hasRatio ? ratio : null,
    ratioLow: width === null ? null : ratio / Math.exp(width),
    ratioHigh: width === null ? null : finiteOrNull(ratio * Math.exp(width)),
    degreesOfFreedom: degrees,
    pValue,
    pAdjusted: null,
    verdict: isInside ? 'equivalent' : 'not_distinguishable',
    better: null,
  }
}

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** If the agents of neither side differ, the sides have no variance, also if their shares are exactly 0 or 100 %. */
function withoutExtremesIfNoAgentDiffers(own: Side, base: Side): readonly [Side, Side] {
  const differs = [own, base].some(({ deltas }) => [...deltas.values()].some((delta) => delta !== 0))
  return differs
    ? [own, base]
    : [
        { ...own, extremeVariance: 0 },
        { ...base, extremeVariance: 0 },
      ]
}

/** Welch's degrees of freedom if no agent is on both sides, otherwise the smaller ones. */
function degreesOf(own: Side, base: Side, shared: number): number {
  const [ownVariance, baseVariance] = [varianceOf(own), varianceOf(base)]
  const smaller = Math.min(own.degreesOfFreedom, base.degreesOfFreedom)
  if (shared > 0 || ownVariance + baseVariance === 0) return smaller
  return (
    (ownVariance + baseVariance) ** 2 /
    (ownVariance ** 2 / own.degreesOfFreedom + baseVariance ** 2 / base.degreesOfFreedom)
  )
}

const varianceOf = ({ deltas, extremeVariance }: Side): number =>
  sum([...deltas.values()].map((delta) => delta ** 2)) + extremeVariance

/** Null if it is not known how much the agents differ. */
function pValueOf(
  difference: number,
  standardError: number,
  degrees: number,
  own: Side,
  base: Side,
  isUnknown: boolean,
): number | null {
  if (isUnknown) return null
  if (standardError > 0) return twoSided(Math.abs(difference) / standardError, degrees)
  return difference !== 0 && Math.min(own.deltas.size, base.deltas.size) >= agentsOfVerdict ? 0 : null
}
