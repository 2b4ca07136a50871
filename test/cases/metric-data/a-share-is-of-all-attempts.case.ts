import { daily, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A ratio is computed over all attempts together; its deviation is that of the rows’ own ratios.',
  test: 'latency',
  rows: [
    { at: '2026-01-01 10:00:00', target: 's', successes: 100, failures: 0 },
    { at: '2026-01-01 11:00:00', target: 's', successes: 0, failures: 10 },
    { at: '2026-01-01 12:00:00', target: 's', successes: 0, failures: 0 }, // has no attempts
  ],
  request: daily('packetLoss', '2026-01-01', '2026-01-01'),
  // 10 of all 110 attempts failed. The two rows with attempts have the ratios 0 and 100.
  data: [{ metricData: [{ metricValue: 1000 / 110, sampleCount: 2, stdDev: 50, min: 0, max: 100, median: 50 }] }],
})
