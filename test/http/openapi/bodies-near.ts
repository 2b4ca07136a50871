const grouped = [
  {
    any: [
      { id: 'isp', filterType: 'matches', filterValues: ['^Acme', 'net$'] },
      { not: { id: 'target', filterType: 'contains', filterValues: ['x'] } },
      { all: [{ id: 'unit', filterType: 'at_least', filterValues: ['1.5'] }] },
    ],
  },
  { id: 'base', filterType: 'is_set' },
  { id: 'threads', filterType: 'below', filterValues: [4.5] },
  { id: 'package', filterType: 'starts_with', filterValues: ['Acme:'] },
]

const metric = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: true,
  prefilter: false,
  splits: ['isp', 'ip_version'],
  filters: [
    { id: 'country', filterType: 'include', filterValues: ['GB', 'FR'] },
    { id: 'threads', filterType: 'exclusive', filterValues: [8] },
    ...grouped,
  ],
  time: { from: '2026-01-01 00:00', to: '2026-01-02 00:00:00' },
  panel: 'homes',
  agent_agg: false,
  percentiles: 'none',
}

const statistics = { fields: ['metricValue', 'ci95'], intervals: 'results', include: ['uncertainty'] }

const wholeDays = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time: { from: 1_767_225_600_000, to: '2026-01-02' },
  wholePeriods: true,
  include: ['meta'],
}

const aboutAgents = {
  ...wholeDays,
  perAgent: { statistic: 'percentile', level: 20, minimumResults: 2 },
  reaching: { atLeast: 80 },
  include: ['uncertainty'],
}

const { metric: _one, ...unnamed } = wholeDays
const several = { ...unnamed, metrics: ['httpget', 'httppost'] }

const filter = { id: 'country', filterType: 'include', filterValues: ['GB'] }
const ofHour = { id: 'hour_of_day', filterType: 'include', filterValues: [8] }
const alone = { metric: 'httpget', chartType: 'aggregate', aggregation: 'total', normalised: false, prefilter: false }
const oneDay = { from: '2026-01-02', to: '2026-01-02' }

const comparing: readonly Record<string, unknown>[] = [
  { ...alone, time: oneDay, compare: { previous: true, marginPercent: 5, alpha: 0.01, match: 'agents' } },
  { ...alone, time: oneDay, normalised: true, agent_agg: true, compare: { previous: true, match: 'agents' } },
  { ...alone, time: oneDay, aggregation: 'hourly', compare: { filters: [filter], margin: 2 } },
  { ...alone, time: oneDay, filters: [ofHour], compare: { filters: [] } },
  { ...alone, time: oneDay, aggregation: 'daily', compare: { time: { from: '2025-12-01', to: '2025-12-01' } } },
  { ...alone, time: oneDay, compare: { filters: grouped } },
  { ...alone, time: oneDay, splits: ['isp'], compare: { split: 'isp', base: 'Northnet', alpha: null } },
  { ...alone, time: oneDay, splits: ['threads'], compare: { split: 'threads', base: 8 } },
]
const selecting: readonly Record<string, unknown>[] = [
  { ...alone, time: oneDay, having: [{ field: 'sampleCount', atLeast: 30 }], order: null, limit: 1 },
  { ...alone, time: oneDay, aggregation: 'daily', order: [{ by: 'dtime', direction: 'desc' }, { by: 'metricValue' }] },
  { ...alone, time: oneDay, having: [{ field: 'metricValue', below: 2.5, above: null }], limit: 100_000 },
]
const paging: readonly Record<string, unknown>[] = [
  { ...alone, time: oneDay, chartType: 'raw', limit: 5 },
  { ...alone, time: oneDay, limit: 5, after: null },
]
const ranking: readonly Record<string, unknown>[] = [
  { ...alone, time: oneDay, splits: ['isp'], top: { n: 5 } },
  { ...alone, time: oneDay, splits: ['isp'], top: { n: 1000, by: 'percentiles.95', direction: 'asc', others: false } },
  { ...alone, time: oneDay, splits: ['isp', 'country'], top: { n: 1, by: null, direction: null, others: null } },
]
const levelsAndBins = { ...wholeDays, percentileLevels: [2.5], histogram: { edges: [1, 30] } }

const bodies: Record<string, readonly Record<string, unknown>[]> = {
  'POST /metric_data': [
    metric,
    { ...metric, chartType: 'raw' },
    { ...metric, ...statistics, panel: ['homes'] },
    wholeDays,
    { ...wholeDays, chartType: 'raw', wholePeriods: false, include: null },
    { ...wholeDays, format: 'json' },
    { ...wholeDays, window: { weekdays: [1, 7], hours: [0, 23] } },
    { ...wholeDays, splits: ['peak'], window: { weekdays: null, hours: [19] } },
    aboutAgents,
    { ...wholeDays, agent_agg: true, reaching: { below: 5, above: null } },
    { ...wholeDays, perAgent: { statistic: 'share', atLeast: 80 }, intervals: 'agents', percentiles: 'none' },
    { ...wholeDays, perAgent: { statistic: 'trimmedMean', low: 1, high: 99 } },
    { ...levelsAndBins, preset: 'berec.normally-available', perAgent: { statistic: 'share', atLeast: 50 } },
    { ...wholeDays, preset: 'fcc.consistent-speed', fields: ['percentiles'], histogram: { bins: 'log' } },
    { ...wholeDays, prefilter: true, include: ['prefilter', 'coverage'] },
    { ...wholeDays, chartType: 'raw', wholePeriods: null, prefilter: true, include: ['prefilter'] },
    { ...wholeDays, emptyBuckets: true },
    { ...wholeDays, totals: true, splits: ['isp'] },
    { ...wholeDays, totals: true, include: null, format: 'arrow' },
    { ...wholeDays, chartType: 'raw', wholePeriods: null, emptyBuckets: false, include: null },
    several,
    { ...several, relativeTo: 'plan', preset: 'fcc.plan-bands' },
    ...comparing,
    ...selecting,
    ...ranking,
    ...paging,
  ],
  'POST /test_data': [
    { test: 'httpget', date: { from: '2026-01', to: 'now' }, panel: 'homes', filters: grouped },
    { test: 'httpget', date: { from: '2026-01', to: 'now' }, limit: 1, after: null },
  ],
  'POST /metric_data_download': [
    { ...metric, format: 'parquet' },
    { ...wholeDays, perAgent: { statistic: 'mean' }, format: 'csv' },
  ],
  'POST /test_data_download': [
    { test: 'httpget', date: { from: '2026-01', to: 'now' }, panel: 'homes', filters: grouped, format: 'csv.gz' },
  ],
  'POST /metric_data/estimate': [metric],
  'POST /test_data/estimate': [
    { test: 'httpget', date: { from: '2026-01', to: 'now' }, panel: 'homes', filters: grouped },
  ],
  'PUT /questions/{key}': [
    {
      name: 'Speed',
      description: 'Of last week.',
      request: { ...alone, time: oneDay, splits: ['isp'] },
      parameters: ['isp', 'target'],
      chart: { kind: 'bar', statistic: 'ci95' },
      tags: ['weekly'],
    },
  ],
  'POST /questions/{key}/links': [
    { label: 'for the ministry', expires_at: '2099-01-31T00:00:00Z', password: 'correct horse battery' },
    { label: 'x', expires_at: null, password: null },
  ],
  'PUT /metadata': [
    {
      agent: { unit_id: 1001, custom: { region: 'north' } },
      metadata: { timezone: 'Europe/Paris', custom: { floor: 2, region: null } },
      backdate_from: Math.floor(Date.now() / 1000) - 86_400,
      overwrite_all: false,
      dry_run: true,
    },
  ],
}

/**
 * The values that replace each value of a body. None of them is a string, because the schema does not say which strings
 * exist as names.
 */
const replacements = [null, true, 1.5, [], {}, { misspelt: 1 }, [[]]]

/** The operations whose bodies the document and the service must agree on. */
export const operationsWithBodies = [
  'POST /metric_data',
  'POST /test_data',
  'POST /metric_data_download',
  'POST /test_data_download',
  'POST /metric_data/estimate',
  'POST /test_data/estimate',
  'PUT /metadata',
  'PUT /questions/{key}',
  'POST /questions/{key}/links',
] as const

/** The valid bodies of an operation, and variants of them in which one value is removed, replaced or added. */
export const bodiesNear = (operation: string): unknown[] =>
  validBodies(operation).flatMap((body) => [body, ...changesOf(body)])

export const validBodies = (operation: string): readonly unknown[] => bodies[operation] ?? []

function changesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => [
      ...replacements.map((other) => value.with(index, other)),
      ...changesOf(item).map((other) => value.with(index, other)),
    ])
  }
  if (typeof value !== 'object' || value === null) return []
  const object = value as Record<string, unknown>
  return [
    { ...object, misspelt: 1 },
    ...Object.entries(object).flatMap(([name, item]) => [
      Object.fromEntries(Object.entries(object).filter(([other]) => other !== name)),
      ...replacements.map((other) => ({ ...object, [name]: other })),
      ...changesOf(item).map((other) => ({ ...object, [name]: other })),
    ]),
  ]
}
