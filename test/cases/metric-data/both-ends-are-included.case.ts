import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Both ends of the range are included, at whole seconds of the agent’s local time.',
  agents: { kathmandu: [{ from: '2026-01-01', timezone: 'Asia/Kathmandu' }] },
  test: 'httpget',
  // Local time in Kathmandu is 5 hours and 45 minutes ahead of UTC.
  rows: [
    download('2026-01-02 06:14:59.999', 1),
    download('2026-01-02 06:15:00.000', 10),
    download('2026-01-02 07:15:00.700', 30),
    download('2026-01-02 07:15:01.000', 500),
  ],
  request: {
    ...daily('httpget', '2026-01-02', '2026-01-02'),
    aggregation: 'total',
    time: { from: '2026-01-02 12:00', to: '2026-01-02 13:00:00' },
  },
  data: [{ metricData: [{ metricValue: 20, sampleCount: 2 }] }],
})
