import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A block counts by its hours inside the bucket: 16 to 20 o’clock is two hours of one and two of the next.',
  test: 'httpget',
  rows: [
    download('2026-01-01 17:00:00', 100), // 12–18, of which 16–18 is in the bucket
    download('2026-01-01 18:10:00', 40), // 18–20
    download('2026-01-01 18:20:00', 40),
    download('2026-01-01 19:30:00', 40),
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-01-01'), aggregation: 'four_hourly', normalised: true },
  data: [{ metricData: [{ dtime: '2026-01-01T16:00:00', metricValue: 70, stdDev: 30, sampleCount: 4 }] }],
})
