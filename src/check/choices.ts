import type { FieldDetail } from '../base/fault.ts'

/** Listed with one fault; of more, the nearest. */
export const choicesMax = 50

/** Longer values differ from every choice before that. */
const comparedCharactersMax = 64

/** What there is to choose from. Only what the caller may see belongs among `choices`. */
export const choiceDetail = (value: unknown, choices: readonly string[], reason?: string): FieldDetail => ({
  choices: nearest(value, choices),
  ...(choices.length > choicesMax ? { choicesTotal: choices.length } : {}),
  ...(reason === undefined ? {} : { reason }),
})

/** Those that begin most like the value, whatever their case: one pass, because there may be thousands. */
function nearest(value: unknown, choices: readonly string[]): readonly string[] {
  if (choices.length <= choicesMax || typeof value !== 'string') return choices.slice(0, choicesMax)
  const byCommonLength = Array.from({ length: comparedCharactersMax + 1 }, (): string[] => [])
  for (const choice of choices) {
    const alike = byCommonLength[commonLength(choice, value)]
    if (alike !== undefined && alike.length < choicesMax) alike.push(choice)
  }
  return byCommonLength.toReversed().flat().slice(0, choicesMax)
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length, comparedCharactersMax)
  let length = 0
  while (length < most && lowerCase(one.charCodeAt(length)) === lowerCase(other.charCodeAt(length))) length += 1
  return length
}

/** Of ASCII; other letters only have to be the same. */
const lowerCase = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)
