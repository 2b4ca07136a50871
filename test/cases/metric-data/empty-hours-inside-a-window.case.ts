import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'Empty buckets are only those that the window overlaps, also in the first and the last bucket of the range.',
  test: 'httpget',
  rows: [download('2026-01-02 20:00:00', 40)], // Friday
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-05'),
    aggregation: 'two_hourly',
    // Thursday from 19:00, outside the window, to Monday 19:59:59
    time: { from: '2026-01-01 19:00', to: '2026-01-05 19:59:59' },
    window: { weekdays: [1, 2, 3, 4, 5], hours: [18, 20] },
    emptyBuckets: true,
    percentiles: 'none',
  },
  data: [
    {
      metricData: [
        { dtime: '2026-01-01T20:00:00', sampleCount: 0 },
        { dtime: '2026-01-02T18:00:00', sampleCount: 0 },
        { dtime: '2026-01-02T20:00:00', sampleCount: 1, metricValue: 40 },
        { dtime: '2026-01-05T18:00:00', sampleCount: 0 },
      ],
    },
  ],
})
