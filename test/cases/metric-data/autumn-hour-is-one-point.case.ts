import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'The repeated hour of an autumn night is one point.',
  agents: { london: [{ from: '2026-01-01', timezone: 'Europe/London' }] },
  test: 'httpget',
  rows: [
    download('2026-10-25 00:30:00', 10), // 01:30 local time, in summer time
    download('2026-10-25 01:30:00', 30), // 01:30 local time again, in winter time
    download('2026-10-25 02:00:00', 50), // 02:00 local time
  ],
  request: { ...daily('httpget', '2026-10-25', '2026-10-25'), aggregation: 'hourly' },
  data: [
    {
      metricData: [
        { dtime: '2026-10-25T01:00:00', metricValue: 20, sampleCount: 2 },
        { dtime: '2026-10-25T02:00:00', metricValue: 50, sampleCount: 1 },
      ],
    },
  ],
})
