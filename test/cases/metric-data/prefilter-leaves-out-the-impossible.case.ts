import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'The prefilter excludes impossible values; a missing operand excludes nothing.',
  test: 'httpget',
  rows: [
    download('2026-01-01 10:00:00', 40),
    download('2026-01-01 11:00:00', 10_001), // above 10 Gbit/s
    download('2026-01-01 12:00:00', 10_000),
    download('2026-01-01 13:00:00', 50, { warmup_time: null }),
    download('2026-01-01 14:00:00', 60, { warmup_time: 0 }),
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-01-01'), prefilter: true },
  data: [{ metricData: [{ sampleCount: 2, min: 40, max: 10_000 }] }],
})
