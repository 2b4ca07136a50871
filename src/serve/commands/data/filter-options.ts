import type { AggregateRequest } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'

type Filters = NonNullable<AggregateRequest['filters']>

const id = '[^=!<>~^$*?]+'
const withTexts = new RegExp(`^(${id})(!=|=|!~|~|\\^=|\\$=|\\*=)(.*)$`, 's')
const withNumber = new RegExp(`^(${id})(>=|>|<=|<)(-?\\d+(?:\\.\\d+)?)$`)
const withoutValue = new RegExp(`^(${id})(!?)\\?$`)
/** The name of a custom field can contain the characters of the other operators. */
const ofAnyField = /^([^=!]+)(!?=)(.*)$/s

const textTypes = {
  '=': 'include',
  '!=': 'exclude',
  '~': 'matches',
  '!~': 'matches',
  '^=': 'starts_with',
  '$=': 'ends_with',
  '*=': 'contains',
} as const
const numberTypes = { '>=': 'at_least', '>': 'above', '<=': 'at_most', '<': 'below' } as const
type NumberOperator = keyof typeof numberTypes

type TextOperator = keyof typeof textTypes
type TextFilter = { id: string; operator: TextOperator; values: string[] }

/**
 * Converts options to filters: `isp=Acme`, `isp=Other` and `country!=FR` give one filter for each field and operator. The
 * values of a filter are alternatives. `json` is a list of filters, for groups.
 */
export function parseFilters(options: readonly string[], json?: string): Filters {
  const lists = new Map<string, TextFilter>()
  const others: Filters = []
  for (const option of options) {
    const presence = withoutValue.exec(option)
    const [, field, operator, value] = withTexts.exec(option) ?? ofAnyField.exec(option) ?? []
    const [, ofNumber = '', sign, bound = ''] = withNumber.exec(option) ?? []
    if (isNumberOperator(sign)) {
      others.push({ id: ofNumber, filterType: numberTypes[sign], filterValues: [bound] })
    } else if (presence !== null) {
      const [, name = '', not] = presence
      others.push({ id: name, filterType: not === '!' ? 'is_missing' : 'is_set' })
    } else if (field !== undefined && value !== undefined && isTextOperator(operator)) {
      const before = lists.get(`${operator} ${field}`)?.values ?? []
      lists.set(`${operator} ${field}`, { id: field, operator, values: [...before, value] })
    } else throw new UserFacingError(`--filter takes id=value, id!=value or another operator, not "${option}"`)
  }
  return [...[...lists.values()].map(filterOf), ...others, ...parseList(json)]
}

const isNumberOperator = (operator: string | undefined): operator is NumberOperator =>
  operator !== undefined && Object.hasOwn(numberTypes, operator)

const isTextOperator = (operator: string | undefined): operator is TextOperator =>
  operator !== undefined && Object.hasOwn(textTypes, operator)

function filterOf({ id: field, operator, values }: TextFilter): Filters[number] {
  const filter = { id: field, filterType: textTypes[operator], filterValues: values }
  return operator === '!~' ? { not: filter } : filter
}

/** The service checks the filters of the list. */
function parseList(json: string | undefined): Filters {
  if (json === undefined) return []
  try {
    const list: unknown = JSON.parse(json)
    if (isList(list)) return list
  } catch {
    // The error below says what the option takes.
  }
  throw new UserFacingError('--filters takes a JSON list of filters, as in the body of POST /metric_data')
}

const isList = (value: unknown): value is Filters => Array.isArray(value)
