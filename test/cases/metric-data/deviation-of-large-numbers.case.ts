import { daily, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Values near 1e9 that differ by 1 have the deviation of 0, 1 and 2.',
  test: 'httpget',
  rows: [0, 1, 2].map((more) => ({
    at: `2026-01-01 10:0${more}:00`,
    target: 's',
    tcp_retransmissions: 1_000_000_000 + more,
  })),
  request: daily('httpget_retrans', '2026-01-01', '2026-01-01'),
  data: [
    { metricData: [{ metricValue: 1_000_000_001, stdDev: Math.sqrt(2 / 3), min: 1_000_000_000, max: 1_000_000_002 }] },
  ],
})
