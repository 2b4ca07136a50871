export type Range = { readonly from: string; readonly to: string }

const twoDigits = (value: number): string => String(value).padStart(2, '0')

const firstOfMonth = (now: Date, months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))

const atMidnight = (day: Date): string =>
  `${day.getUTCFullYear()}-${twoDigits(day.getUTCMonth() + 1)}-${twoDigits(day.getUTCDate())} 00:00:00`

const lastSecondBefore = (day: Date): string =>
  `${atMidnight(new Date(day.getTime() - 86_400_000)).slice(0, 10)} 23:59:59`

/** Common ranges. A relative range stays relative in the request: a bookmark of "the last 7 days" still means that tomorrow. */
export const presets = (now: Date): readonly { title: string; range: Range }[] => [
  { title: 'Last 24 hours', range: { from: '-1 days', to: 'now' } },
  { title: 'Last 7 days', range: { from: '-7 days', to: 'now' } },
  { title: 'Last 28 days', range: { from: '-28 days', to: 'now' } },
  { title: 'Last 90 days', range: { from: '-90 days', to: 'now' } },
  { title: 'Last 365 days', range: { from: '-365 days', to: 'now' } },
  { title: 'This month', range: { from: atMidnight(firstOfMonth(now, 0)), to: 'now' } },
  {
    title: 'Last month',
    range: { from: atMidnight(firstOfMonth(now, -1)), to: lastSecondBefore(firstOfMonth(now, 0)) },
  },
]

/**
 * Converts a time such as `2026-01-05 10:00:00` to the format of a datetime-local input. A relative time is computed from now,
 * in UTC, as the service does.
 */
export function toInput(text: string, now: Date): string {
  const relative = /^([+-]\d+) days$/.exec(text)
  if (text === 'now') return now.toISOString().slice(0, 19)
  if (relative !== null) return new Date(now.getTime() + Number(relative[1]) * 86_400_000).toISOString().slice(0, 19)
  return text.replace(' ', 'T')
}

export const fromInput = (text: string): string => {
  const spaced = text.replace('T', ' ')
  return spaced.length === 16 ? `${spaced}:00` : spaced
}
