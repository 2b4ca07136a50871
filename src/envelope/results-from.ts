import type { AuditRange } from '../base/audit.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import { dayNumber, firstKeptDay } from '../compile/metric/retention.ts'

const epoch = Temporal.PlainDate.from('1970-01-01')

/** A header with the first day of the retention period, if the request starts before that day. Otherwise no header. */
export function resultsFromHeader(
  { keepDays }: Pick<TestDefinition, 'keepDays'>,
  { from }: AuditRange,
  now: Temporal.Instant,
): Record<string, string> {
  const first = epoch.add({ days: firstKeptDay(keepDays ?? null, dayNumber(now)) })
  const asked = Temporal.PlainDate.from(from.slice(0, 10))
  const isEarlier = keepDays !== undefined && Temporal.PlainDate.compare(asked, first) < 0
  return isEarlier ? { 'x-results-from': first.toString() } : {}
}
