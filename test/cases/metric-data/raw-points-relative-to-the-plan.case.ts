import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A raw point is relative to its own plan, and a result without a plan has none.',
  agents: {
    home: [{ from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' }],
    ranger: [{ from: '2026-01-01', isp: 'Acme', package: 'Up to 80' }],
  },
  test: 'httppost',
  rows: [
    download('2026-02-28 12:00:00', 19.999_992),
    download('2026-03-01 12:00:00', 30),
    download('2026-03-01 12:00:00', 30, { agent: 'ranger' }),
  ],
  request: {
    ...daily('httppost', '2026-01-01', '2026-12-31'),
    chartType: 'raw',
    aggregation: undefined,
    relativeTo: 'plan',
    splits: ['package'],
  },
  data: [
    {
      metricData: [
        { dtime: '2026-02-28T12:00:00', metricValue: 99.999_96, package: 'Acme:Fibre 100' },
        { dtime: '2026-03-01T12:00:00', metricValue: 75, package: 'Acme:Fibre 100' },
      ],
    },
  ],
})
