import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'A window follows the clock changes: the repeated hour of autumn is in it twice, and the skipped hour of spring never.',
  agents: { london: [{ from: '2026-01-01', timezone: 'Europe/London' }] },
  test: 'httpget',
  rows: [
    download('2026-03-29 00:59:59', 1), // 00:59:59 local time
    download('2026-03-29 01:00:00', 2), // 02:00 local time: this Sunday has 23 hours
    download('2026-10-24 23:59:59', 3), // 00:59:59 local time on Sunday
    download('2026-10-25 00:00:00', 10), // 01:00 local time, in summer time
    download('2026-10-25 01:59:59', 20), // 01:59:59 local time, in winter time: this Sunday has 25 hours
    download('2026-10-25 02:00:00', 4), // 02:00 local time
    download('2026-10-26 01:00:00', 5), // Monday
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-12-31'), window: { weekdays: [7], hours: [1] } },
  data: [{ metricData: [{ dtime: '2026-10-25', metricValue: 15, sampleCount: 2 }] }],
})
