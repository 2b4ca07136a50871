import { daily, metricCase } from '../metric-case.ts'

const [most, least] = ['9223372036854775807', '-9223372036854775807']
const megabytes = (2 ** 64 - 2) / 1e6

export default metricCase({
  guarantee: 'Normalised data usage is exact where the difference of two counters needs more than 64 bits.',
  test: 'network_usage',
  rows: [
    { at: '2026-01-01 10:00:00', wan_tx_bytes: most, sk_tx_bytes: least },
    { at: '2026-01-01 10:30:00', wan_tx_bytes: most, sk_tx_bytes: least },
    { at: '2026-01-01 11:00:00', wan_tx_bytes: least, sk_tx_bytes: most },
  ],
  request: { ...daily('wanUp', '2026-01-01', '2026-01-01'), normalised: true },
  data: [{ metricData: [{ metricValue: 0, stdDev: megabytes, min: -megabytes, max: megabytes }] }],
})
