import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'With a split by peak, a window defines peak and does not filter.',
  agents: { paris: [{ from: '2026-01-01', timezone: 'Europe/Paris' }] },
  test: 'httpget',
  rows: [
    download('2026-01-05 17:00:00', 10), // 18:00 in Paris
    download('2026-01-05 18:00:00', 20), // 19:00
    download('2026-01-05 18:30:00', 40),
    download('2026-01-05 19:00:00', 80), // 20:00
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-31'),
    aggregation: 'total',
    splits: ['peak', 'hour_of_day', 'day_of_week'],
    window: { hours: [19] },
  },
  data: [
    { metricData: [{ peak: 'off_peak', hour_of_day: 18, day_of_week: 1, metricValue: 10, sampleCount: 1 }] },
    { metricData: [{ peak: 'off_peak', hour_of_day: 20, day_of_week: 1, metricValue: 80, sampleCount: 1 }] },
    { metricData: [{ peak: 'peak', hour_of_day: 19, day_of_week: 1, metricValue: 30, sampleCount: 2 }] },
  ],
})
