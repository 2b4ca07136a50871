import type { Warning } from '../base/warning.ts'
import { withoutSecrets } from '../base/without-secrets.ts'

/** Whoever has more has not made them one by one. */
export const warningsMax = 50
const shownCharactersMax = 255
const headerBytesMax = 4_096

export const unknownValueWarnings = (unknown: readonly { id: string; value: string }[]): Warning[] =>
  unknown.map(({ id, value }) => ({
    code: 'unknown_filter_value',
    message: 'No agent or result you can see has this value.',
    id,
    value: shown(withoutSecrets(value)),
  }))

const shown = (value: string): string =>
  value.length > shownCharactersMax ? `${value.slice(0, shownCharactersMax)}…`.toWellFormed() : value

/** As an answer shows them: of many the first, and how many more there are. */
export const shownWarnings = (warnings: readonly Warning[]): Warning[] => cut(warnings, warningsMax)

/** For answers that stream: JSON in ASCII, as many of them as a header may hold. */
export function warningsHeader(warnings: readonly Warning[]): Record<string, string> {
  if (warnings.length === 0) return {}
  let left = headerBytesMax - inAscii(cut(warnings, 0)).length
  const fitting = warnings.slice(0, warningsMax).findIndex((warning) => {
    left -= inAscii(warning).length + 1
    return left < 0
  })
  return { 'broadgauge-warnings': inAscii(cut(warnings, fitting === -1 ? warningsMax : fitting)) }
}

function cut(warnings: readonly Warning[], count: number): Warning[] {
  if (warnings.length <= count) return [...warnings]
  const more = `${warnings.length - count} more of these.`
  return [...warnings.slice(0, count), { code: 'more_warnings', message: more }]
}

const inAscii = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
