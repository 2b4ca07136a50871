import { validationFail } from '../../base/fault.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { isAbsent, messages, type FieldFaults } from '../field-faults.ts'
import type { AgentLocal } from './agent-local-time.ts'

/** A range in seconds of local time. Both ends are included. It is empty if `to` is before `from`. */
export type LocalRange = { readonly from: AgentLocal; readonly to: AgentLocal }

/** True if the points are periods that follow each other, such as days, and not hours of the day or a total. */
export const isChronological = ({ label }: Aggregation): boolean => label === 'time' || label === 'date'

/**
 * Returns the longest part of the range that consists of whole periods which have ended. `endedAt` is the first local second
 * that has not passed yet.
 */
export function wholePeriods(aggregation: Aggregation, { from, to }: LocalRange, endedAt: AgentLocal): LocalRange {
  const start = startOf(aggregation, from)
  const first = start === from ? from : startOf(aggregation, start + longestOf(aggregation))
  return { from: first, to: startOf(aggregation, Math.min(to + 1, endedAt)) - 1 }
}

/** Returns the maximum number of points of a series. */
export function bucketsAtMost(aggregation: Aggregation, { from, to }: LocalRange): number {
  if (aggregation.key === 'total') return 1
  if (!isChronological(aggregation)) return elements[aggregation.key] ?? 1
  const length = lengths[aggregation.key]
  const [first, last] = [startOf(aggregation, from), startOf(aggregation, to)]
  if (length !== undefined) return (last - first) / length + 1
  const months = monthOf(last) - monthOf(first)
  return (aggregation.key === 'quarterly' ? months / 3 : months) + 1
}

const elements: Partial<Record<Aggregation['key'], number>> = { hour_of_day: 24, day_of_week: 7, day_of_month: 31 }

function monthOf(second: AgentLocal): number {
  const { year, month } = Temporal.Instant.fromEpochMilliseconds(second * 1000).toZonedDateTimeISO('UTC')
  return year * 12 + month
}

const daySeconds = 86_400

/** Returns the period that contains `second`. */
export function periodAt(aggregation: Aggregation, second: AgentLocal): LocalRange {
  const from = startOf(aggregation, second)
  return { from, to: startOf(aggregation, from + longestOf(aggregation)) - 1 }
}

/** Returns the first second of the period that contains `second`. */
function startOf(aggregation: Aggregation, second: AgentLocal): AgentLocal {
  const length = lengths[aggregation.key]
  if (length !== undefined) return Math.floor((second - firstMonday) / length) * length + firstMonday
  const day = Temporal.Instant.fromEpochMilliseconds(second * 1000)
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
  const month = aggregation.key === 'quarterly' ? day.month - ((day.month - 1) % 3) : day.month
  return day.with({ month, day: 1 }).toZonedDateTime('UTC').epochMilliseconds / 1000
}

/** Weeks begin on Mondays, and 1970-01-05 was one. It is also the beginning of an hour, of six hours and of a day. */
const firstMonday = 4 * daySeconds

/** The lengths of the periods that are equally long. */
const lengths: Partial<Record<Aggregation['key'], number>> = {
  hourly: 3_600,
  two_hourly: 7_200,
  four_hourly: 14_400,
  six_hourly: 21_600,
  daily: daySeconds,
  weekly: 7 * daySeconds,
}

/** Returns a number of seconds. The start of a period plus this number is always in the next period. */
const longestOf = ({ key }: Aggregation): number => lengths[key] ?? (key === 'quarterly' ? 92 : 31) * daySeconds

type Body = Readonly<Record<string, unknown>>

/** Checks `wholePeriods`. `aggregation` is null for raw points, and if the aggregation is not valid. */
export function checkWholePeriods(
  { wholePeriods: value, chartType }: Body,
  aggregation: Aggregation | null,
  faults: FieldFaults,
): { readonly wholePeriods?: true } {
  if (isAbsent(value) || value === false) return {}
  if (value !== true) faults.add('wholePeriods', messages.type('bool'))
  else if (chartType === 'raw') refuse(faults, 'Raw points have no periods.')
  else if (aggregation !== null && !isChronological(aggregation)) refuse(faults, 'This aggregation has no periods.')
  return { wholePeriods: true }
}

const refuse = (faults: FieldFaults, reason: string): void =>
  faults.add('wholePeriods', messages.choice, () => ({ reason }))

type Asked = LocalRange & { readonly wholePeriods?: true }

/**
 * Returns the range to use. A request that asks for whole periods gets a 422 if the range contains no whole period that has
 * ended.
 */
export function checkedRange({ from, to, wholePeriods: isAsked }: Asked, whole: LocalRange | null): LocalRange {
  if (isAsked === undefined || whole === null) return { from, to }
  if (whole.from > whole.to) throw validationFail({ time: ['No whole period of this range has ended.'] })
  return whole
}
