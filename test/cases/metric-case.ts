/** From `from` (UTC day) on. What is left out stays as it was. */
type Since = {
  from: string
  isp?: string
  package?: string
  timezone?: string
  custom?: Record<string, string | number>
}

/** A result: when it ended (UTC), by which agent (the first one unless said), and columns of its test. */
type CaseRow = { at: string; agent?: string; [column: string]: unknown }

export type MetricCase = {
  /** A sentence that can be false. */
  guarantee: string
  /** Agents by name, with their timelines. */
  agents?: Record<string, Since[]>
  test: string
  rows: CaseRow[]
  request: Record<string, unknown>
  /** `data` of the answer; points need only show what the case is about. */
  data: { metricData: Record<string, unknown>[] }[]
}

export const metricCase = (one: MetricCase): MetricCase => one

/** A download at so many megabits a second. */
export const download = (at: string, mbps: number, more: Omit<CaseRow, 'at'> = {}): CaseRow => ({
  at,
  target: 'server',
  bytes_sec: (mbps * 1e6) / 8,
  warmup_time: 3_000_000,
  ...more,
})

export const daily = (metric: string, from: string, to: string): Record<string, unknown> => ({
  metric,
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time: { from: `${from} 00:00`, to: `${to} 23:59:59` },
})
