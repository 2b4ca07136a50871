/** A period of whole UTC days, both included. */
export type Days = { readonly first: Temporal.PlainDate; readonly last: Temporal.PlainDate }

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/**
 * The period a date of POST /test_data stands for, null for what is none: `YYYY-MM-DD`, `YYYYMMDD`, `YYYY-MM`, `YYYY`,
 * `+x days`, `-x days`, `last|next|this <day name>`, `now`, in letters of any case, also `day`. A `from` is rounded down to the
 * first day of its period, a `to` up to the last. Impossible dates are refused, never rolled over.
 */
export function parseTestDate(text: string, now: Temporal.Instant): Days | null {
  const today = now.toZonedDateTimeISO('UTC').toPlainDate()
  const absolute = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2}))?$/.exec(text)
  if (absolute !== null) {
    const [, year = '', month, day, compactMonth, compactDay] = absolute
    return absolutePeriod(Number(year), numberOf(month ?? compactMonth), numberOf(day ?? compactDay))
  }
  const shift = /^([+-]\d{1,7}) days?$/i.exec(text)?.[1]
  if (shift !== undefined) return oneDay(today.add({ days: Number(shift) }))
  const named = /^(last|next|this) ([a-z]+)$/i.exec(text.toLowerCase())
  if (named !== null) return namedDay(today, named[1] ?? '', weekdays.indexOf(named[2] ?? '') + 1)
  return /^now$/i.test(text) ? oneDay(today) : null
}

const numberOf = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits))

function absolutePeriod(year: number, month: number | undefined, day: number | undefined): Days | null {
  if (year === 0 || month === 0 || day === 0 || (month ?? 1) > 12) return null
  const first = new Temporal.PlainDate(year, month ?? 1, 1)
  if (month === undefined) return { first, last: new Temporal.PlainDate(year, 12, 31) }
  if (day === undefined) return { first, last: first.with({ day: first.daysInMonth }) }
  return day > first.daysInMonth ? null : oneDay(first.with({ day }))
}

/** A date with more or fewer than four digits in its year cannot be written, so it cannot be meant. */
const oneDay = (day: Temporal.PlainDate): Days | null =>
  day.year < 1 || day.year > 9999 ? null : { first: day, last: day }

/** `last` is before today, `next` after it, `this` today or after it. */
function namedDay(today: Temporal.PlainDate, which: string, weekday: number): Days | null {
  if (weekday === 0) return null
  const ahead = (weekday - today.dayOfWeek + 7) % 7
  if (which === 'last') return oneDay(today.add({ days: ahead - 7 }))
  return oneDay(today.add({ days: which === 'next' && ahead === 0 ? 7 : ahead }))
}
