import { type FieldFaults, isLonger, isObject, isStorable, messages } from '../field-faults.ts'

export type CustomValues = Readonly<Record<string, string | number>>

export type CustomCheck = { custom: CustomValues; droppedKeys: readonly string[] }

/**
 * Maximum length of the name of a custom field: longer than any real name. PostgreSQL cannot index a text of more than about
 * 2,700 bytes.
 */
const keyCharactersMax = 255
/** Maximum length of a custom value. Every ClickHouse node holds every value in memory. */
const valueCharactersMax = 1_000

/**
 * Maximum number of custom fields of an organisation. For every request of a caller that can read one of the organisation's
 * panels, the service reads and lists all of these fields.
 */
export const customFieldsMax = 1_000
export const tooManyFields = `There may be at most ${customFieldsMax} custom fields.`
/** Maximum size of the custom metadata of one agent, as JSON. Every ClickHouse node holds it in memory. */
export const customBytesMax = 16_384
export const tooLongTogether = `An agent may have at most ${customBytesMax} bytes of custom metadata.`

const nullMessages = {
  searching: 'Cannot search for null custom metadata.',
  updating: 'Cannot null custom metadata.',
} as const

/** Checks custom metadata that a request searches by or writes. When writing, a null removes the field. */
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
