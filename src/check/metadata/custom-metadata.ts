import { type FieldFaults, isLonger, isObject, isStorable, messages } from '../field-faults.ts'

export type CustomValues = Readonly<Record<string, string | number>>

export type CustomCheck = { custom: CustomValues; droppedKeys: readonly string[] }

/** Longer than any name; what an index can hold ends at some 2,700 bytes. */
const keyCharactersMax = 255
/** Every node of the engine holds every value in memory. */
const valueCharactersMax = 1_000

/** They are read and listed with every request of whoever can read a panel of the organisation. */
export const customFieldsMax = 1_000
export const tooManyFields = `There may be at most ${customFieldsMax} custom fields.`
/** Of one agent, all together, for the same reason as the values; as JSON. */
export const customBytesMax = 16_384
export const tooLongTogether = `An agent may have at most ${customBytesMax} bytes of custom metadata.`

const nullMessages = {
  searching: 'Cannot search for null custom metadata.',
  updating: 'Cannot null custom metadata.',
} as const

/** Custom metadata to search by, or to write; when writing, a key with the value null is to be removed. */
export function checkCustom(
  value: unknown,
  purpose: keyof typeof nullMessages,
  path: string,
  faults: FieldFaults,
): CustomCheck {
  if (value === undefined) return { custom: {}, droppedKeys: [] }
  if (value === null) faults.add(path, nullMessages[purpose])
  else if (!isObject(value)) faults.add(path, messages.type('object'))
  else if (Object.keys(value).length === 0) {
    faults.add(
      path,
      `Must specify at least one key when ${purpose} ${purpose === 'searching' ? 'by ' : ''}custom fields.`,
    )
  } else if (purpose === 'updating' && Object.keys(value).length > customFieldsMax) {
    faults.add(path, tooManyFields)
    return { custom: {}, droppedKeys: [] }
  }
  const entries = Object.entries(isObject(value) ? value : {})
  for (const [key, one] of entries) checkEntry(key, one, purpose, `${path}[${key}]`, faults)
  return {
    custom: Object.fromEntries(entries.filter((entry): entry is [string, string | number] => isValue(entry[1]))),
    droppedKeys: entries.filter(([, one]) => one === null).map(([key]) => key),
  }
}

const isValue = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'

function checkEntry(
  key: string,
  value: unknown,
  purpose: keyof typeof nullMessages,
  path: string,
  faults: FieldFaults,
): void {
  if (!/\p{L}/u.test(key) || !isStorable(key) || key.length > keyCharactersMax) faults.add(path, 'Invalid key')
  if (value === null && purpose === 'updating') return
  if (!isValue(value)) faults.add(path, messages.type('string'))
  else if (
    typeof value === 'string' &&
    !(isStorable(value) && (purpose === 'searching' || !isLonger(value, valueCharactersMax)))
  )
    faults.add(path, 'Invalid value')
}
