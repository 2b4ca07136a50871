/** A period of whole UTC days. Both days are included. */
export type Days = { readonly first: Temporal.PlainDate; readonly last: Temporal.PlainDate }

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/**
 * Returns the period of a date in POST /test_data, or null if the date is not valid. The forms are `YYYY-MM-DD`, `YYYYMMDD`,
 * `YYYY-MM`, `YYYY`, `+x days` or `-x days` (or `day`), `last|next|this <day name>` and `now`, in upper or lower case. `from`
 * uses the first day of its period, and `to` the last. An impossible date is refused, and not converted to a date in the next
 * month.
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

/** Returns null for years that do not have four digits, because a request cannot contain them. */
const oneDay = (day: Temporal.PlainDate): Days | null =>
  day.year < 1 || day.year > 9999 ? null : { first: day, last: day }

/** `last` is a day before today, `next` a day after today, and `this` is today or a later day. */
function namedDay(today: Temporal.PlainDate, which: string, weekday: number): Days | null {
  if (weekday === 0) return null
  const ahead = (weekday - today.dayOfWeek + 7) % 7
  if (which === 'last') return oneDay(today.add({ days: ahead - 7 }))
  return oneDay(today.add({ days: which === 'next' && ahead === 0 ? 7 : ahead }))
}
