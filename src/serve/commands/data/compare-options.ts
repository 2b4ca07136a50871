import type { AggregateRequest } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'

type Base = { previous: true } | { time: { from: string; to: string } } | { split: string; base: string }
type Margin = { margin: number } | { marginPercent: number }

type CompareOptions = { readonly compare?: string; readonly margin?: string; readonly matchAgents?: boolean }

/** Converts `--compare previous`, `--compare 2026-01-01..2026-01-31` or `--compare isp=Northnet`, and the options of these. */
export function compareOf({ compare, margin, matchAgents = false }: CompareOptions): Pick<AggregateRequest, 'compare'> {
  if (compare === undefined) {
    if (margin !== undefined || matchAgents) throw new UserFacingError('--margin and --match-agents need --compare')
    return {}
  }
  const match = matchAgents ? ({ match: 'agents' } as const) : {}
  return { compare: { ...baseOf(compare), ...(margin === undefined ? {} : marginOf(margin)), ...match } }
}

function baseOf(option: string): Base {
  if (option === 'previous') return { previous: true }
  const [, from, to] = /^(.+?)\.\.(.+)$/.exec(option) ?? []
  if (from !== undefined && to !== undefined) return { time: { from, to } }
  const [, split, base] = /^([^=]+)=(.+)$/s.exec(option) ?? []
  if (split !== undefined && base !== undefined) return { split, base }
  throw new UserFacingError(`--compare takes previous, 2026-01-01..2026-01-31 or split=value, not "${option}"`)
}

function marginOf(option: string): Margin {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(option) ?? []
  if (number === undefined) throw new UserFacingError(`--margin takes a number such as 2 or 5%, not "${option}"`)
  return percent === '%' ? { marginPercent: Number(number) } : { margin: Number(number) }
}
