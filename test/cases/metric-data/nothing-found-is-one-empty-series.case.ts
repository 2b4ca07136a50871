import { daily, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A request that finds nothing gives one series without points, also with splits.',
  test: 'httpget',
  rows: [],
  request: { ...daily('httpget', '2026-01-01', '2026-01-31'), splits: ['isp'] },
  data: [{ metricData: [] }],
})
