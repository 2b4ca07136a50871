import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Normalised, each block of the schedule counts by its hours, not by its results.',
  test: 'httpget',
  rows: [
    download('2026-01-01 03:00:00', 100), // 00–06: six hours, one result
    download('2026-01-01 20:10:00', 40), // 20–22: two hours, three results
    download('2026-01-01 20:20:00', 40),
    download('2026-01-01 21:30:00', 40),
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-01-01'), normalised: true },
  // (6 × 100 + 2 × 40) / 8; variance 6/8 · 15² + 2/8 · 45².
  data: [{ metricData: [{ metricValue: 85, stdDev: Math.sqrt(675), sampleCount: 4, min: 40, max: 100 }] }],
})
