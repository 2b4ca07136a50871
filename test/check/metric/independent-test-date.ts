/**
 * A second implementation of the grammar of test dates. The test compares the service's implementation with it. It
 * reads character by character and counts days since 1970 by arithmetic, without regular expressions and without a date
 * library. Returns the first and the last day of the period, or null if the text is not a date.
 */
export function independentTestDate(text: string, nowSeconds: number): [number, number] | null {
  const today = Math.floor(nowSeconds / 86_400)
  const lower = [...text].map((letter) => (letter >= 'A' && letter <= 'Z' ? letter.toLowerCase() : letter)).join('')
  if (lower === 'now') return [today, today]
  return absolute(lower) ?? shifted(lower, today) ?? named(lower, today)
}

const isDigits = (text: string): boolean => text !== '' && [...text].every((letter) => letter >= '0' && letter <= '9')

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysIn = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** Days from 1 January 1970 to 1 January of `year`, by counting leap years. */
function yearBegins(year: number): number {
  const leaps = (before: number) => Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  return (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

function monthBegins(year: number, month: number): number {
  let day = yearBegins(year)
  for (let past = 1; past < month; past += 1) day += daysIn(year, past)
  return day
}

function absolute(text: string): [number, number] | null {
  const parts = text.length === 8 ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)] : text.split('-')
  const [year = '', month, day] = parts
  const wellFormed = year.length === 4 && (month?.length ?? 2) === 2 && (day?.length ?? 2) === 2 && parts.length <= 3
  if (!wellFormed || !parts.every(isDigits)) return null
  const y = Number(year)
  if (y < 1) return null
  if (month === undefined) return [yearBegins(y), yearBegins(y + 1) - 1]
  const m = Number(month)
  if (m < 1 || m > 12) return null
  const first = monthBegins(y, m)
  if (day === undefined) return [first, first + daysIn(y, m) - 1]
  const d = Number(day)
  return d < 1 || d > daysIn(y, m) ? null : [first + d - 1, first + d - 1]
}

function shifted(text: string, today: number): [number, number] | null {
  const sign = text[0]
  if ((sign !== '+' && sign !== '-') || !(text.endsWith(' days') || text.endsWith(' day'))) return null
  const digits = text.slice(1, text.lastIndexOf(' '))
  if (!isDigits(digits) || digits.length > 7) return null
  const day = sign === '+' ? today + Number(digits) : today - Number(digits)
  return day < yearBegins(1) || day >= yearBegins(10_000) ? null : [day, day]
}

/**
 * Parses `last monday`, `next friday` and similar texts. Day 0, 1 January 1970, was a Thursday. The function steps day
 * by day until the weekday matches, instead of computing the distance.
 */
function named(text: string, today: number): [number, number] | null {
  const names = ['thursday', 'friday', 'saturday', 'sunday', 'monday', 'tuesday', 'wednesday']
  const [which, name, ...more] = text.split(' ')
  if (more.length > 0 || name === undefined || !names.includes(name)) return null
  const is = (day: number) => names[((day % 7) + 7) % 7] === name
  const step = which === 'last' ? -1 : 1
  if (which !== 'last' && which !== 'next' && which !== 'this') return null
  let day = which === 'this' ? today : today + step
  while (!is(day)) day += step
  return [day, day]
}
