import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Percentiles interpolate linearly between neighbours, and the median is one of them.',
  test: 'httpget',
  rows: [10, 20, 30, 40].map((mbps) => download(`2026-01-01 10:${mbps}:00`, mbps)),
  request: daily('httpget', '2026-01-01', '2026-01-01'),
  data: [
    {
      metricData: [
        {
          median: 25,
          percentiles: {
            '1': 10.3,
            '5': 11.5,
            '10': 13,
            '20': 16,
            '25': 17.5,
            '50': 25,
            '75': 32.5,
            '80': 34,
            '90': 37,
            '95': 38.5,
            '99': 39.7,
          },
        },
      ],
    },
  ],
})
