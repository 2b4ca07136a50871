import type { AggregateRequest } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'

type PerAgent = NonNullable<AggregateRequest['perAgent']>
type Reaching = NonNullable<AggregateRequest['reaching']>

const decimal = String.raw`-?\d+(?:\.\d+)?`
const percentile = new RegExp(`^p(${decimal})$`)
const share = new RegExp(`^share(<|>=?)(${decimal})$`)
const trimmed = new RegExp(`^trimmed(${decimal})-(${decimal})$`)
const bound = new RegExp(`^(<|>=?|)(${decimal})$`)

/** Converts `mean`, `median`, `min`, `max`, `p20`, `share>=80`, `share<5` or `trimmed1-99`. */
export function parsePerAgent(option: string): PerAgent {
  if (option === 'mean' || option === 'median' || option === 'min' || option === 'max') return { statistic: option }
  const [, level] = percentile.exec(option) ?? []
  if (level !== undefined) return { statistic: 'percentile', level: Number(level) }
  const [, comparison, threshold] = share.exec(option) ?? []
  if (comparison === '<') return { statistic: 'share', below: Number(threshold) }
  if (comparison === '>=') return { statistic: 'share', atLeast: Number(threshold) }
  const [, low, high] = trimmed.exec(option) ?? []
  if (low !== undefined) return { statistic: 'trimmedMean', low: Number(low), high: Number(high) }
  throw new UserFacingError(
    `--per-agent takes mean, median, min, max, p20, "share>=80", "share<5" or trimmed1-99, not "${option}"`,
  )
}

/** Converts `80` or `>=80`, `>80`, or `<5`. */
export function parseReaching(option: string): Reaching {
  const [, comparison, threshold] = bound.exec(option) ?? []
  if (threshold === undefined) {
    throw new UserFacingError(`--reaching takes a number such as 80, ">80" or "<5", not "${option}"`)
  }
  if (comparison === '<') return { below: Number(threshold) }
  return comparison === '>' ? { above: Number(threshold) } : { atLeast: Number(threshold) }
}
