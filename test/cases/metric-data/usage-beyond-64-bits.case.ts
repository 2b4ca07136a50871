import { daily, metricCase } from '../metric-case.ts'

const [most, least] = ['9223372036854775807', '-9223372036854775807']
const megabytes = (2 ** 64 - 2) / 1e6

export default metricCase({
  guarantee: 'Data usage is exact where the difference of two counters needs more than 64 bits.',
  test: 'network_usage',
  rows: [
    { at: '2026-01-01 10:00:00', wan_rx_bytes: most, sk_rx_bytes: least },
    { at: '2026-01-01 11:00:00', wan_rx_bytes: least, sk_rx_bytes: most },
  ],
  request: daily('wanDown', '2026-01-01', '2026-01-01'),
  data: [{ metricData: [{ metricValue: 0, stdDev: megabytes, min: -megabytes, max: megabytes, median: 0 }] }],
})
