import type { Aggregation } from '../explore/aggregations.ts'

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const day = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const month = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' })

/** The label of a bucket, without abbreviations. */
export function bucketLabel(bucket: number, { key, shape }: Aggregation): string {
  if (shape === 'none') return 'The whole range'
  if (key === 'hour_of_day') return `${String(bucket).padStart(2, '0')}:00–${String(bucket).padStart(2, '0')}:59`
  if (key === 'day_of_week') return weekdays[bucket - 1] ?? String(bucket)
  if (key === 'day_of_month') return `Day ${bucket} of the month`
  const date = new Date(bucket * 1000)
  if (key === 'monthly') return month.format(date)
  if (key === 'quarterly') return `Quarter ${date.getUTCMonth() / 3 + 1} of ${date.getUTCFullYear()}`
  if (key === 'weekly') return `Week from ${day.format(date)}`
  return key === 'daily' ? day.format(date) : `${day.format(date)}, ${date.toISOString().slice(11, 16)}`
}

/** The label of a bucket below an axis, where there is room for three letters. */
export const shortLabel = (bucket: number, { key }: Aggregation): string =>
  key === 'day_of_week' ? (weekdays[bucket - 1]?.slice(0, 3) ?? '') : Number.isInteger(bucket) ? String(bucket) : ''
