import type { TestDefinition } from '../catalog/define-test.ts'
import { dayNumber, firstKeptDay } from '../compile/retention.ts'

const firstOfAll = Temporal.PlainDate.from('1970-01-01')

/** For whoever asks for days that are no longer kept: the first one that is answered. Days are counted from 1970. */
export function resultsFromHeader(
  { keepDays }: TestDefinition,
  asked: Temporal.PlainDate | number,
  now: Temporal.Instant,
): Record<string, string> {
  const first = firstKeptDay(keepDays ?? null, dayNumber(now))
  const from = typeof asked === 'number' ? asked : firstOfAll.until(asked).days
  return from < first ? { 'x-results-from': firstOfAll.add({ days: first }).toString() } : {}
}
