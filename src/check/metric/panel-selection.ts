import type { Panel } from '../../catalog/grants.ts'
import { choiceDetail } from '../choices.ts'
import { isAbsent, messages, type FieldFaults } from '../field-faults.ts'

/**
 * `panel` of a request, one key or a list of them → numbers of the panels to read, in ascending order; left out, every
 * panel the caller can read. Only readable panels are looked at, so a foreign key is answered exactly like an unknown
 * one. Without any panel the answer is the empty list: there is nothing to read, and nothing wrong with asking.
 */
export function checkPanelSelection(
  value: unknown,
  readable: readonly Panel[],
  faults: FieldFaults,
): readonly number[] {
  if (isAbsent(value)) return readable.map(({ id }) => id).toSorted(ascending)
  const ids = new Map<unknown, number>(readable.map(({ id, key }) => [key, id]))
  const idOf = (key: unknown, path: string): number[] => {
    const id = ids.get(key)
    if (id !== undefined) return [id]
    faults.addChoice(path, key, () => keysOf(readable), 'No panel you can read has this key.')
    return []
  }
  if (!Array.isArray(value)) return idOf(value, 'panel')
  // An empty list must not be taken for one that was left out.
  if (value.length === 0) {
    faults.add('panel', messages.choice, () => choiceDetail('', keysOf(readable), 'The list is empty.'))
  }
  const named = value.flatMap((item: unknown, index) => idOf(item, `panel[${index}]`))
  return [...new Set(named)].toSorted(ascending)
}

const keysOf = (panels: readonly Panel[]): string[] => panels.map(({ key }) => key)

const ascending = (one: number, other: number): number => one - other
