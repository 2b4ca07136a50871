/** Bodies for the document. A test sends each of them. */
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
