import type { AggregateRequest } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'

type Options = { readonly having: readonly string[]; readonly order: readonly string[]; readonly limit?: number }
type Selection = Pick<AggregateRequest, 'having' | 'order' | 'limit'>

/** Converts `--having 'agentCount>=30'`, `--order metricValue:desc` and `--limit 5`. */
export const selectionOf = ({ having, order, limit }: Options): Selection => ({
  ...(having.length === 0 ? {} : { having: having.map(conditionOf) }),
  ...(order.length === 0 ? {} : { order: order.map(orderOf) }),
  ...(limit === undefined ? {} : { limit }),
})

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
