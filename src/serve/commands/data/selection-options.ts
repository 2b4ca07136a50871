import type { AggregateRequest } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'

type Options = {
  readonly top?: string
  readonly others: boolean
  readonly having: readonly string[]
  readonly order: readonly string[]
  readonly limit?: number
  readonly after?: string
}
type Selection = Pick<AggregateRequest, 'top' | 'having' | 'order' | 'limit' | 'after'>

/** Converts `--top 5:sampleCount`, `--having 'agentCount>=30'`, `--order metricValue:desc` and `--limit 5`. */
export const selectionOf = ({ top, others, having, order, limit, after }: Options): Selection => ({
  ...(top === undefined ? {} : { top: topOf(top, others) }),
  ...(having.length === 0 ? {} : { having: having.map(conditionOf) }),
  ...(order.length === 0 ? {} : { order: order.map(orderOf) }),
  ...(limit === undefined ? {} : { limit }),
  ...(after === undefined ? {} : { after }),
})

function topOf(option: string, others: boolean): NonNullable<Selection['top']> {
  const [, n, by, direction] = /^(\d+)(?::(.+?)(?::(asc|desc))?)?$/.exec(option) ?? []
  if (n === undefined) throw new UserFacingError(`--top takes a number such as 5 or 5:sampleCount, not "${option}"`)
  return {
    n: Number(n),
    others,
    ...(by === undefined ? {} : { by }),
    ...(direction === undefined ? {} : { direction: direction === 'asc' ? 'asc' : 'desc' }),
  }
}

const condition = /^([^<>=]+)(<=|>=|<|>)(-?\d+(?:\.\d+)?)$/

function conditionOf(option: string): NonNullable<Selection['having']>[number] {
  const [, field = '', comparison, digits] = condition.exec(option) ?? []
  const value = Number(digits)
  if (comparison === '>=') return { field, atLeast: value }
  if (comparison === '>') return { field, above: value }
  if (comparison === '<=') return { field, atMost: value }
  if (comparison === '<') return { field, below: value }
  throw new UserFacingError(`--having takes a condition such as "agentCount>=30", not "${option}"`)
}

function orderOf(option: string): NonNullable<Selection['order']>[number] {
  const [, by = '', direction] = /^(.+?)(?::(asc|desc))?$/s.exec(option) ?? []
  return { by, direction: direction === 'desc' ? 'desc' : 'asc' }
}
