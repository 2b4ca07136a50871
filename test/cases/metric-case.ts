/**
 * The packages of all cases, as imports in the order in which they are made. The speeds are in megabits per second, download
 * and upload; null if they are not known.
 */
export const packageImports: { from: string | null; packages: [string, string, number | null, number | null][] }[] = [
  {
    from: null,
    packages: [
      ['Acme', 'Fibre 100', 100, 20],
      ['Acme', 'Up to 80', null, null],
      ['Borough', 'Cable 250', 250, 25],
    ],
  },
  { from: '2026-03-01', packages: [['Acme', 'Fibre 100', 200, 40]] },
]

/**
 * One step of an agent's timeline: the metadata that is valid from the day `from` (UTC). A field that the step does not
 * contain keeps its earlier value.
 */
type Since = {
  from: string
  isp?: string
  package?: string
  timezone?: string
  custom?: Record<string, string | number>
}

/**
 * One result: its end time `at` (UTC), its agent (by default the first agent of the case), and the values of the test's
 * columns.
 */
type CaseRow = { at: string; agent?: string; [column: string]: unknown }

export type MetricCase = {
  /** What the case proves, as a sentence that is either true or false. */
  guarantee: string
  /** The timeline of each agent, by the agent's name. */
  agents?: Record<string, Since[]>
  test: string
  rows: CaseRow[]
  request: Record<string, unknown>
  /** The expected `data` of the response. A point lists only the fields that the case is about. */
  data: { metricData: Record<string, unknown>[] }[]
}

export const metricCase = (one: MetricCase): MetricCase => one

/** A result of the download test with a speed of `mbps` megabits per second. */
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
