import { isAbsent, type FieldFaults, shown } from '../field-faults.ts'

const backdateSecondsMax = 28 * 86_400

/** The UTC day from which a change holds: that of the given UNIX time, at most 28 days ago and never ahead; else today. */
export function checkBackdate(value: unknown, now: Temporal.Instant, faults: FieldFaults): Temporal.PlainDate {
  const nowSeconds = Math.floor(now.epochMilliseconds / 1000)
  const seconds = typeof value === 'number' && Number.isInteger(value) ? value : null
  if (!isAbsent(value)) {
    const inRange = seconds !== null && seconds <= nowSeconds && seconds >= nowSeconds - backdateSecondsMax
    if (seconds === null) faults.add('backdate_from', `Invalid backdate (${shown(value)}). Must be a valid integer.`)
    else if (!inRange) faults.add('backdate_from', `Invalid backdate (${shown(value)}). Must be in last 28 days.`)
    if (!inRange) return utcDay(nowSeconds)
  }
  return utcDay(seconds ?? nowSeconds)
}

const utcDay = (epochSeconds: number): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(epochSeconds * 1000)
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
