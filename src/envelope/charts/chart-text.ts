/** Removes what XML cannot contain: control characters and halves of surrogate pairs. */
export const plainText = (text: string): string => text.toWellFormed().replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, ' ')

/** Splits a text into lines at spaces. A word that is too long is cut. */
export function wrapped(text: string, charactersMax: number): readonly string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    const cut = word.length > charactersMax ? `${word.slice(0, charactersMax - 1)}…` : word
    if (last === '') lines[lines.length - 1] = cut
    else if (last.length + 1 + cut.length <= charactersMax) lines[lines.length - 1] = `${last} ${cut}`
    else lines.push(cut)
  }
  return lines
}

/** Four significant digits, without an exponent. Files have every digit. */
export function numberText(value: number | null): string {
  if (value === null) return '–'
  const size = Math.abs(value)
  if (size >= 1_000 || value === 0) return value.toFixed(0)
  return value.toFixed(Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(size)))))
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** The label of a period for people: `14:00` for an hour of the day, `Mon` for a day of the week. */
export function periodText(label: string, aggregation: string): string {
  if (aggregation === 'hour_of_day') return `${label.padStart(2, '0')}:00`
  if (aggregation === 'monthly') return label.slice(0, 7)
  if (aggregation === 'quarterly') return `${label.slice(0, 4)} Q${Math.ceil(Number(label.slice(5, 7)) / 3)}`
  if (aggregation === 'day_of_week') return days[Number(label) - 1] ?? label
  return label.replace('T', ' ').replace(/(\d\d:\d\d):00$/, '$1')
}
