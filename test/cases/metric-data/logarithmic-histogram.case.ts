import { daily, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Logarithmic bins begin at powers of the eighth root of two, and values that are not positive are below.',
  test: 'latency',
  rows: [0, 500, 1000, 1090, 1091, 2000].map((microseconds, hour) => ({
    at: `2026-01-07 0${hour}:00:00`,
    target: 'server',
    rtt_avg: microseconds,
    successes: 1,
    failures: 0,
  })),
  request: {
    ...daily('latency', '2026-01-07', '2026-01-07'),
    histogram: { bins: 'log' },
    fields: ['sampleCount'],
  },
  data: [
    {
      metricData: [
        {
          sampleCount: 6,
          histogram: {
            edges: Array.from({ length: 18 }, (_, index) => 2 ** ((index - 8) / 8)),
            counts: [1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1],
            below: 1,
            above: 0,
          },
        },
      ],
    },
  ],
})
