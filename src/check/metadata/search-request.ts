import { comparable } from '../../base/comparable.ts'
import { limits } from '../../base/limits.ts'
import { FieldFaults, messages } from '../field-faults.ts'
import { limitOf } from '../query-parameters.ts'

type Query = Readonly<Record<string, unknown>>

/** Returns how many entries a list may have, from the parameter `limit`. */
export function checkListLimit(query: Query): number {
  const faults = new FieldFaults()
  const rowsMax = limitOf(query['limit'], faults)
  faults.throwIfAny()
  return rowsMax
}

/** `key` is null if no identifier can begin with the searched text. The search then finds nothing. */
export type AgentSearch = { readonly key: string | null; readonly rowsMax: number }

/** The search ignores punctuation and case in identifiers, so the key contains neither. */
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
