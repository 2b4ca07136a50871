import type { FieldDetail } from '../base/fault.ts'

/**
 * Maximum number of valid values in the detail of one fault. If there are more, the detail lists those that are most similar to
 * the given value.
 */
export const choicesMax = 50

/** Number of characters that are compared. Two texts that agree in all of them count as equal. */
const comparedCharactersMax = 64

/** Lists the valid values. `choices` must contain only values that the caller may see. */
export const choiceDetail = (value: unknown, choices: readonly string[], reason?: string): FieldDetail => ({
  choices: nearest(value, choices),
  ...(choices.length > choicesMax ? { choicesTotal: choices.length } : {}),
  ...(reason === undefined ? {} : { reason }),
})

/**
 * Returns the choices that have the longest common prefix with the value, ignoring ASCII case. Takes one pass, because there
 * can be thousands of choices.
 */
function nearest(value: unknown, choices: readonly string[]): readonly string[] {
  if (choices.length <= choicesMax || typeof value !== 'string') return choices.slice(0, choicesMax)
  const byCommonLength = Array.from({ length: comparedCharactersMax + 1 }, (): string[] => [])
  for (const choice of choices) {
    const alike = byCommonLength[commonLength(choice, value)]
    if (alike !== undefined && alike.length < choicesMax) alike.push(choice)
  }
  return byCommonLength.toReversed().flat().slice(0, choicesMax)
}

/** Like `choiceDetail`, but sorts the choices by the length of the prefix that they have in common with the value. */
export const nearestFirst = (value: string, choices: readonly string[]): FieldDetail =>
  choiceDetail(
    value,
    choices.toSorted((one, other) => commonLength(other, value) - commonLength(one, value)),
  )

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length, comparedCharactersMax)
  let length = 0
  while (length < most && lowerCase(one.charCodeAt(length)) === lowerCase(other.charCodeAt(length))) length += 1
  return length
}

/** Changes ASCII letters only. Other letters must be equal to match. */
const lowerCase = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)
