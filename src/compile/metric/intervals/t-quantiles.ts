import { bind, sql, type Sql } from '../../../base/sql.ts'
import type { PointField } from '../../../catalog/point-fields.ts'

/** A two-sided confidence level, and the quantile of the normal distribution that belongs to it. */
export type Confidence = { readonly level: number; readonly z: number }

export const confidences = {
  ci90: { level: 0.9, z: 1.6448536269514722 },
  ci95: { level: 0.95, z: 1.959963984540054 },
  ci99: { level: 0.99, z: 2.5758293035489004 },
} as const satisfies Partial<Record<PointField, Confidence>>

/**
 * ClickHouse has no quantiles of the t distribution, so a statement contains the quantiles of up to this many degrees of
 * freedom.
 */
const tabulatedMax = 200

const table = memoised(({ level }: Confidence) =>
  Array.from({ length: tabulatedMax }, (_, index) => tQuantile(level, index + 1)),
)

/**
 * Returns the quantile of the t distribution. The degrees of freedom need not be a whole number. Up to 200 degrees of freedom,
 * the statement interpolates linearly in 1/freedom between whole numbers. Above 200, four terms of the Cornish-Fisher
 * expansion (Abramowitz and Stegun, 26.7.5) have a relative error of at most 1e-11.
 */
export function tOf(confidence: Confidence, freedom: Sql): Sql {
  const values = bind('Array(Float64)', table(confidence))
  const whole = sql`toUInt16(floor(${freedom}))`
  const next = sql`${values}[least(${whole} + 1, ${bind('UInt16', tabulatedMax)})]`
  const interpolated = sql`${values}[${whole}] + (${next} - ${values}[${whole}]) * (${freedom} - ${whole}) * (${whole} + 1) / ${freedom}`
  const expanded = sql`arraySum((g, k) -> g / pow(${freedom}, k), ${bind('Array(Float64)', expansion(confidence))}, range(5))`
  return sql`if(${freedom} > ${bind('UInt16', tabulatedMax)}, ${expanded}, ${interpolated})`
}

/** The coefficients of 1, 1/freedom, … in the Cornish-Fisher expansion. */
const expansion = ({ z }: Confidence): readonly number[] => [
  z,
  (z ** 3 + z) / 4,
  (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
  (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
]

/** Solves P(|T| ≤ t) = level for a whole number of degrees of freedom, by bisection on the angle arctan(t / √freedom). */
export function tQuantile(level: number, freedom: number): number {
  let [low, high] = [0, Math.PI / 2]
  for (let step = 0; step < 64; step += 1) {
    const middle = (low + high) / 2
    if (withinAngle(middle, freedom) < level) low = middle
    else high = middle
  }
  return Math.sqrt(freedom) * Math.tan((low + high) / 2)
}

/** P(|T| ≤ √freedom · tan(angle)): the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
function withinAngle(angle: number, freedom: number): number {
  const cosine = Math.cos(angle)
  const isOdd = freedom % 2 === 1
  let term = isOdd ? cosine : 1
  let sum = freedom === 1 ? 0 : term
  for (let power = isOdd ? 3 : 2; power <= freedom - 2; power += 2) {
    term *= ((power - 1) / power) * cosine * cosine
    sum += term
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
}

function memoised(compute: (confidence: Confidence) => readonly number[]): typeof compute {
  const known = new Map<number, readonly number[]>()
  return (confidence) => {
    const values = known.get(confidence.level) ?? compute(confidence)
    known.set(confidence.level, values)
    return values
  }
}
