/** Seconds of a wall clock since 1970-01-01 00:00 on that same clock: local time without a zone, as a number. */
export type AgentLocal = number

const wallClock = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:[0-5]\d)?$/
const daysFromNow = /^([+-]\d{1,7}) days?$/i

/**
 * `time.from` and `time.to` of a metric request: `YYYY-MM-DD HH:MM[:SS]`, `now`, `+x days`, `-x days`, in letters of any case,
 * also `day`. Used as given, never rounded; the relative forms are the clock of UTC, read as local. Null for anything else,
 * impossible dates included.
 */
export function parseAgentLocal(text: string, now: Temporal.Instant): AgentLocal | null {
  if (/^now$/i.test(text)) return secondsOf(now)
  const days = daysFromNow.exec(text)?.[1]
  if (days !== undefined) return writable(now.add({ hours: 24 * Number(days) }))
  return wallClock.test(text) ? wallClockSeconds(text) : null
}

/** Temporal refuses 30 February and 24:00 instead of rolling them over. The year 0000 it takes; nobody measured then. */
function wallClockSeconds(text: string): AgentLocal | null {
  try {
    return writable(Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime('UTC').toInstant())
  } catch {
    return null
  }
}

/** A date with more or fewer than four digits in its year cannot be written, so it cannot be meant. */
function writable(instant: Temporal.Instant): AgentLocal | null {
  const { year } = instant.toZonedDateTimeISO('UTC')
  return year < 1 || year > 9999 ? null : secondsOf(instant)
}

const secondsOf = (instant: Temporal.Instant): number => Math.floor(instant.epochMilliseconds / 1000)
