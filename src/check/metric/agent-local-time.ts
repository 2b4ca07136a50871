/** A local time without a zone, as the number of seconds from 1970-01-01 00:00 to this time on the agent's wall clock. */
export type AgentLocal = number

/** A day is its first second in `from`, and its last second in `to`. */
export type RangeEnd = 'from' | 'to'

const wholeDay = /^\d{4}-\d{2}-\d{2}$/
const wallClock = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:[0-5]\d)?$/
const utcInstant = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::[0-5]\d(?:\.\d{1,9})?)?)Z$/
const daysFromNow = /^([+-]\d{1,7}) days?$/i
const milliseconds = /^\d{1,15}$/

/**
 * Parses `time.from` and `time.to` of a metric request: `YYYY-MM-DD`, `YYYY-MM-DD HH:MM[:SS]`, `now`, `+x days` or `-x days`
 * (or `day`), in upper or lower case, `YYYY-MM-DDTHH:MM[:SS[.sss]]Z`, and milliseconds since 1970 as a number or as digits.
 * Fractions of a second are cut off; times are otherwise never rounded. `now` and the forms that name an instant use the UTC
 * clock as local time. Returns null for anything else and for impossible dates.
 */
export function parseAgentLocal(value: string | number, now: Temporal.Instant, end: RangeEnd): AgentLocal | null {
  if (typeof value === 'number' || milliseconds.test(value)) return ofMilliseconds(Number(value))
  if (/^now$/i.test(value)) return secondsOf(now)
  const days = daysFromNow.exec(value)?.[1]
  if (days !== undefined) return writable(now.add({ hours: 24 * Number(days) }))
  if (wholeDay.test(value)) return wallClockSeconds(`${value}T${end === 'from' ? '00:00:00' : '23:59:59'}`)
  const instant = utcInstant.exec(value)?.[1]
  if (instant !== undefined) return wallClockSeconds(instant)
  return wallClock.test(value) ? wallClockSeconds(value.replace(' ', 'T')) : null
}

/** The largest number of milliseconds that Temporal accepts, far beyond the year 9999. */
const millisecondsMax = 8.64e15

const ofMilliseconds = (value: number): AgentLocal | null =>
  Number.isInteger(value) && Math.abs(value) <= millisecondsMax
    ? writable(Temporal.Instant.fromEpochMilliseconds(value))
    : null

/**
 * Temporal throws for 30 February and for 24:00, and does not convert them to the next month or day. It accepts the year 0000,
 * which `writable` refuses.
 */
function wallClockSeconds(text: string): AgentLocal | null {
  try {
    return writable(Temporal.PlainDateTime.from(text).toZonedDateTime('UTC').toInstant())
  } catch {
    return null
  }
}

/** Returns null for years that do not have four digits, because a request cannot contain them. */
function writable(instant: Temporal.Instant): AgentLocal | null {
  const { year } = instant.toZonedDateTimeISO('UTC')
  return year < 1 || year > 9999 ? null : secondsOf(instant)
}

const secondsOf = (instant: Temporal.Instant): number => Math.floor(instant.epochMilliseconds / 1000)
