import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'With normalisation, the weight of a schedule block is its hours, not its results.',
  test: 'httpget',
  rows: [
    download('2026-01-01 03:00:00', 100), // block 00–06: six hours, one result
    download('2026-01-01 20:10:00', 40), // block 20–22: two hours, three results
    download('2026-01-01 20:20:00', 40),
    download('2026-01-01 21:30:00', 40),
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-01-01'), normalised: true },
  // The mean is (6 × 100 + 2 × 40) / 8 = 85. The variance is 6/8 · 15² + 2/8 · 45² = 675.
  data: [{ metricData: [{ metricValue: 85, stdDev: Math.sqrt(675), sampleCount: 4, min: 40, max: 100 }] }],
})
