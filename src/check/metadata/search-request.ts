import { comparable } from '../../base/comparable.ts'
import { limits } from '../../base/limits.ts'
import { FieldFaults, messages } from '../field-faults.ts'
import { limitOf } from '../query-parameters.ts'

type Query = Readonly<Record<string, unknown>>

/** How many of a list; the newest or the nearest come first. */
export function checkListLimit(query: Query): number {
  const faults = new FieldFaults()
  const rowsMax = limitOf(query['limit'], faults)
  faults.throwIfAny()
  return rowsMax
}

/** A key of null finds nothing: no identifier begins so. */
export type AgentSearch = { readonly key: string | null; readonly rowsMax: number }

/** Identifiers are compared without punctuation and case, so their beginnings are too. */
export function checkAgentSearch(query: Query): AgentSearch {
  const faults = new FieldFaults()
  const text = query['search']
  const key = typeof text === 'string' ? keyOf(text) : ''
  if (text === undefined) faults.add('search', messages.missing)
  else if (typeof text !== 'string') faults.add('search', messages.type('string'))
  else if (key === '' || text.length > limits.searchCharactersMax) {
    faults.add(
      'search',
      `This value should have a letter or a digit, and at most ${limits.searchCharactersMax} characters.`,
    )
  }
  const rowsMax = limitOf(query['limit'], faults)
  faults.throwIfAny()
  return { key, rowsMax }
}

const keyOf = (text: string): string | null =>
  comparable(text)
    ?.replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase() ?? null
