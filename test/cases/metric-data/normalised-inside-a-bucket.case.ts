import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'The weight of a block is its hours inside the bucket: 16 to 20 o’clock has two hours of one block and two of the next.',
  test: 'httpget',
  rows: [
    download('2026-01-01 17:00:00', 100), // block 12–18; its hours 16–18 are in the bucket
    download('2026-01-01 18:10:00', 40), // block 18–20; all its hours are in the bucket
    download('2026-01-01 18:20:00', 40),
    download('2026-01-01 19:30:00', 40),
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-01-01'), aggregation: 'four_hourly', normalised: true },
  data: [{ metricData: [{ dtime: '2026-01-01T16:00:00', metricValue: 70, stdDev: 30, sampleCount: 4 }] }],
})
