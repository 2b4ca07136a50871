export const daily = { key: 'daily', hours: null, label: 'date' } as const
export const total = { key: 'total', hours: null, label: 'none' } as const

/**
 * How rows are grouped into points.
 *
 * - `hours`: length of a bucket that is shorter than a day; null for buckets of whole days.
 * - `label`: how a point shows its bucket: by the bucket's start as a time or a date, by a number, or not at all.
 */
export const aggregations = [
  { key: 'hourly', hours: 1, label: 'time' },
  { key: 'two_hourly', hours: 2, label: 'time' },
  { key: 'four_hourly', hours: 4, label: 'time' },
  { key: 'six_hourly', hours: 6, label: 'time' },
  daily,
  { key: 'weekly', hours: null, label: 'date' },
  { key: 'monthly', hours: null, label: 'date' },
  { key: 'quarterly', hours: null, label: 'date' },
  { key: 'hour_of_day', hours: 1, label: 'number' },
  { key: 'day_of_week', hours: null, label: 'number' },
  { key: 'day_of_month', hours: null, label: 'number' },
  total,
] as const satisfies readonly {
  key: string
  hours: number | null
  label: 'time' | 'date' | 'number' | 'none'
}[]

export type Aggregation = (typeof aggregations)[number]
