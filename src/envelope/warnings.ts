import type { Warning } from '../base/warning.ts'
import { withoutSecrets } from '../base/without-secrets.ts'

/**
 * Maximum number of warnings in a response. Only a generated request causes more, and its author does not read every warning.
 */
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

type Days = { readonly first: number; readonly last: number }

/**
 * Warns if the range begins before the first or ends after the last of the days with results. The range is in the local time of
 * the agents, and the days of results are UTC days. A local day is the UTC day of a result, or the one before or after it, so a
 * range that exceeds the results by one day gives no warning.
 */
export function rangeWarnings(range: Days, found: readonly Days[], name = 'range'): Warning[] {
  if (found.length === 0) return []
  const first = Math.min(...found.map((days) => days.first))
  const last = Math.max(...found.map((days) => days.last))
  const beyond = [
    ...(range.first < first - 1 ? ['begins before the first'] : []),
    ...(range.last > last + 1 ? ['ends after the last'] : []),
  ]
  if (beyond.length === 0) return []
  const [firstDay, lastDay] = [dayText(first), dayText(last)]
  const message = `The ${name} ${beyond.join(' and ')} day with results: there are results from ${firstDay} to ${lastDay} (UTC).`
  return [{ code: 'range_beyond_data', message, firstDay, lastDay }]
}

const dayText = (day: number): string => Temporal.PlainDate.from('1970-01-01').add({ days: day }).toString()

/** `panels` are the keys of the panels with results in the range that the request does not name. */
export function pooledWarnings(panels: readonly string[]): Warning[] {
  if (panels.length < 2) return []
  const message = `The points pool the results of ${panels.length} panels. Name the panels in \`panel\` if this is what you want.`
  return [{ code: 'panels_pooled', message, panels }]
}

const shown = (value: string): string =>
  value.length > shownCharactersMax ? `${value.slice(0, shownCharactersMax)}…`.toWellFormed() : value

/** The first `warningsMax` warnings. If there are more, a last warning says how many more. */
export const shownWarnings = (warnings: readonly Warning[]): Warning[] => cut(warnings, warningsMax)

/** Streamed responses carry their warnings in a header: as many as fit into it, as JSON in ASCII. */
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
