import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A weekly point is dated by its Monday, also when the range starts mid-week.',
  test: 'httpget',
  rows: [
    download('2026-01-07 10:00:00', 40), // Wednesday
    download('2026-01-11 23:59:59', 60), // Sunday, same week
    download('2026-01-12 00:00:00', 90), // next Monday
  ],
  request: { ...daily('httpget', '2026-01-07', '2026-01-12'), aggregation: 'weekly' },
  data: [
    {
      metricData: [
        { dtime: '2026-01-05', metricValue: 50, sampleCount: 2 },
        { dtime: '2026-01-12', metricValue: 90, sampleCount: 1 },
      ],
    },
  ],
})
