import type { Panel } from '../../catalog/grants.ts'
import { choiceDetail } from '../choices.ts'
import { isAbsent, messages, type FieldFaults } from '../field-faults.ts'

/**
 * Converts `panel` of a request (one key, or a list) to panel numbers in ascending order. Without `panel`, returns every panel
 * that the caller can read. Only these panels are searched, so the key of another organisation's panel gets the same fault as
 * an unknown key. A caller without panels gets an empty list, and the request is valid.
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
  // An empty list is a fault. It must not mean all panels.
  if (value.length === 0) {
    faults.add('panel', messages.choice, () => choiceDetail('', keysOf(readable), 'The list is empty.'))
  }
  const named = value.flatMap((item: unknown, index) => idOf(item, `panel[${index}]`))
  return [...new Set(named)].toSorted(ascending)
}

const keysOf = (panels: readonly Panel[]): string[] => panels.map(({ key }) => key)

const ascending = (one: number, other: number): number => one - other
