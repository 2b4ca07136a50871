import { Fault } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { VisibleCatalog, VisibleDimension } from '../../catalog/visible.ts'
import { FieldFaults, isStorable, messages } from '../field-faults.ts'
import { limitOf } from '../query-parameters.ts'

export type ValuesRequest = {
  readonly dimension: VisibleDimension
  /** Keys of the tests whose metrics have this dimension. */
  readonly tests: readonly string[]
  /** A text that the values begin with or contain. */
  readonly text: string
  readonly valuesMax: number
}

type Query = Readonly<Record<string, unknown>>

/**
 * If the caller may not use the filter, the response is the same 404 as for an unknown filter. This check comes before all
 * others.
 */
export function checkValuesRequest(id: string | undefined, query: Query, visible: VisibleCatalog): ValuesRequest {
  const dimension = visible.dimensions.find((one) => one.id === id)
  if (dimension === undefined) throw new Fault('NOT_FOUND', { detail: 'no such filter that the caller can use' })
  const faults = new FieldFaults()
  const text = checkText(query['search'], faults)
  const valuesMax = limitOf(query['limit'], faults)
  faults.throwIfAny()
  const { metrics } = dimension
  const asked = visible.metrics.filter(({ key }) => metrics?.includes(key) ?? true)
  return { dimension, tests: [...new Set(asked.map(({ test }) => test))], text, valuesMax }
}

function checkText(value: unknown, faults: FieldFaults): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') faults.add('search', messages.type('string'))
  else if (!isStorable(value) || value.length > limits.searchCharactersMax) {
    faults.add(
      'search',
      `This value should be at most ${limits.searchCharactersMax} characters, none of them a control character.`,
    )
  } else return value
  return ''
}
