/** Example bodies of the OpenAPI document. A test sends each of them. */
const lastMonth = { from: '-30 days', to: 'now' }

export const metricExamples = {
  'a daily mean': {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'daily',
    normalised: false,
    prefilter: true,
    time: lastMonth,
  },
  'two metrics': {
    metrics: ['httpget', 'latency'],
    chartType: 'aggregate',
    aggregation: 'weekly',
    normalised: false,
    prefilter: true,
    splits: ['isp'],
    time: lastMonth,
  },
  'by hour of day and ISP': {
    metric: 'latency',
    chartType: 'aggregate',
    aggregation: 'hour_of_day',
    normalised: true,
    prefilter: true,
    splits: ['isp'],
    filters: [{ id: 'country', filterType: 'exclude', filterValues: ['FR'] }],
    time: { from: '2026-01-01 00:00:00', to: '2026-03-31 23:59:59' },
  },
  'a share of the plan': {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'monthly',
    normalised: false,
    prefilter: true,
    relativeTo: 'plan',
    splits: ['package'],
    time: lastMonth,
  },
  'homes by their share of the plan': {
    metric: 'httpget',
    preset: 'fcc.plan-bands',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: true,
    percentileLevels: [2.5, 97.5],
    time: lastMonth,
  },
  'peak hours': {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'monthly',
    normalised: true,
    prefilter: true,
    time: { from: '2026-01-01', to: '2026-03-31' },
    window: { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] },
  },
  'every result': {
    metric: 'httpget',
    chartType: 'raw',
    normalised: false,
    prefilter: false,
    time: { from: '-1 days', to: 'now' },
  },
}

export const testExamples = {
  'a month': { test: 'httpget', date: { from: '2026-01', to: '2026-01' } },
  'the last week': { test: 'latency', date: { from: '-7 days', to: 'now' } },
}

export const changeExamples = {
  'what would change': {
    agent: { custom: { region: 'north' } },
    metadata: { timezone: 'Europe/London' },
    dry_run: true,
  },
  'a custom field': { agent: { agent_id: 'wb-0001' }, metadata: { custom: { region: 'north', floor: 3 } } },
}
