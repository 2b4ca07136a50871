import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A failed test is not a sample, and never a speed of zero.',
  test: 'httpget',
  rows: [
    download('2026-01-01 10:00:00', 40),
    download('2026-01-01 11:00:00', 0, { successes: 0, failures: 1 }),
    download('2026-01-01 12:00:00', 0, { bytes_sec: null }),
  ],
  request: daily('httpget', '2026-01-01', '2026-01-01'),
  data: [{ metricData: [{ metricValue: 40, sampleCount: 1, agentCount: 1, ci95: null, stdDev: 0 }] }],
})
