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
  ],
  time: { from: '2026-01-01 00:00', to: '2026-01-02 00:00:00' },
  panel: 'homes',
  agent_agg: false,
  percentiles: 'none',
}

const bodies: Record<string, readonly Record<string, unknown>[]> = {
  'POST /metric_data': [metric, { ...metric, chartType: 'raw' }, { ...metric, panel: ['homes'] }],
  'POST /test_data': [{ test: 'httpget', date: { from: '2026-01', to: 'now' }, panel: 'homes' }],
  'POST /metric_data_download': [{ ...metric, format: 'parquet' }],
  'POST /test_data_download': [
    { test: 'httpget', date: { from: '2026-01', to: 'now' }, panel: 'homes', format: 'csv.gz' },
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

/** What stands in for a value. A string in place of another is left out: whether it names something is no matter of form. */
const replacements = [null, true, 1.5, [], {}, { misspelt: 1 }, [[]]]

/** The right bodies of an operation, and each with every one of its values in turn removed, replaced, or joined by another. */
export const bodiesNear = (operation: string): unknown[] =>
  (bodies[operation] ?? []).flatMap((body) => [body, ...changesOf(body)])

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
