/** The aggregations of points, and the type of their labels, which determines the kind of drawing. */
export const aggregations = [
  { key: 'hourly', title: 'Each hour', shape: 'time' },
  { key: 'two_hourly', title: 'Every two hours', shape: 'time' },
  { key: 'four_hourly', title: 'Every four hours', shape: 'time' },
  { key: 'six_hourly', title: 'Every six hours', shape: 'time' },
  { key: 'daily', title: 'Each day', shape: 'time' },
  { key: 'weekly', title: 'Each week (from Monday)', shape: 'time' },
  { key: 'monthly', title: 'Each month', shape: 'time' },
  { key: 'quarterly', title: 'Each quarter', shape: 'time' },
  { key: 'hour_of_day', title: 'By hour of the day', shape: 'number' },
  { key: 'day_of_week', title: 'By day of the week', shape: 'number' },
  { key: 'day_of_month', title: 'By day of the month', shape: 'number' },
  { key: 'total', title: 'One value for the whole range', shape: 'none' },
] as const

export type Aggregation = (typeof aggregations)[number]

export const aggregationOf = (key: string): Aggregation =>
  aggregations.find((one) => one.key === key) ?? aggregations[4]
