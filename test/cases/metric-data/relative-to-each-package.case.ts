import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'With a prefilter and a split, results without a plan are counted in their own point, and nowhere else.',
  agents: {
    mover: [
      { from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' },
      { from: '2026-02-10', isp: 'Borough', package: 'Cable 250' },
    ],
    ranger: [{ from: '2026-01-01', isp: 'Acme', package: 'Up to 80' }],
  },
  test: 'httpget',
  rows: [
    download('2026-02-09 12:00:00', 75),
    download('2026-02-09 13:00:00', 75, { warmup_time: 0 }), // the prefilter excludes it
    download('2026-02-10 12:00:00', 75),
    download('2026-02-09 12:00:00', 70, { agent: 'ranger' }),
    download('2026-02-09 13:00:00', 70, { agent: 'ranger', warmup_time: 0 }), // excluded, and so not counted
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-12-31'),
    aggregation: 'total',
    prefilter: true,
    normalised: true,
    splits: ['isp'],
    relativeTo: 'plan',
    include: ['prefilter'],
    fields: ['metricValue', 'sampleCount', 'median'],
  },
  data: [
    {
      metricData: [
        {
          isp: 'Acme',
          metricValue: 75,
          median: 75,
          sampleCount: 1,
          resultsWithoutPlan: 1,
          prefilter: { before: 2, removed: 1, unfilteredValue: 75, agentsLost: 0 },
        },
      ],
    },
    {
      metricData: [
        {
          isp: 'Borough',
          metricValue: 30,
          median: 30,
          sampleCount: 1,
          resultsWithoutPlan: 0,
          prefilter: { before: 1, removed: 0, unfilteredValue: 30, agentsLost: 0 },
        },
      ],
    },
  ],
})
