import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'httppost_multi uses results over two or more TCP connections, and no results that lack the number.',
  test: 'httppost',
  rows: [
    download('2026-01-01 10:00:00', 50, { threads: 1 }),
    download('2026-01-01 11:00:00', 20, { threads: 2 }),
    download('2026-01-01 12:00:00', 40, { threads: 8 }),
    download('2026-01-01 13:00:00', 400),
  ],
  request: daily('httppost_multi', '2026-01-01', '2026-01-01'),
  data: [{ metricData: [{ metricValue: 30, sampleCount: 2, min: 20, max: 40 }] }],
})
