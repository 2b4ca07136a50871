import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A result belongs to the package of its day, not to today’s.',
  agents: {
    mover: [
      { from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' },
      { from: '2026-02-10', isp: 'Borough', package: 'Cable 250' },
    ],
  },
  test: 'httpget',
  rows: [
    download('2026-02-09 23:59:59', 90),
    download('2026-02-10 00:00:00', 240),
    download('2025-12-31 12:00:00', 5), // before the first span of the timeline
  ],
  request: {
    ...daily('httpget', '2025-12-01', '2026-02-28'),
    aggregation: 'total',
    splits: ['package', 'isp'],
  },
  data: [
    { metricData: [{ package: 'Acme:Fibre 100', isp: 'Acme', metricValue: 90 }] },
    { metricData: [{ package: 'Borough:Cable 250', isp: 'Borough', metricValue: 240 }] },
    { metricData: [{ package: null, isp: null, metricValue: 5 }] },
  ],
})
