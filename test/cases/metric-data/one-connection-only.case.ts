import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'httpget_single uses results over one TCP connection, and no results that lack the number.',
  test: 'httpget',
  rows: [
    download('2026-01-01 10:00:00', 50, { threads: 1 }),
    download('2026-01-01 11:00:00', 70, { threads: 1 }),
    download('2026-01-01 12:00:00', 200, { threads: 2 }),
    download('2026-01-01 13:00:00', 400),
  ],
  request: daily('httpget_single', '2026-01-01', '2026-01-01'),
  data: [{ metricData: [{ metricValue: 60, sampleCount: 2, min: 50, max: 70 }] }],
})
