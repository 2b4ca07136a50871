import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'Groups are ordered by the splits of the request: numbers by size, text by bytes, null last; points are ordered by their labels.',
  agents: {
    one: [{ from: '2026-01-01', custom: { region: 'b' } }],
    two: [{ from: '2026-01-01', custom: { region: 'B' } }],
    three: [],
  },
  test: 'httpget',
  rows: [
    download('2026-01-02 10:00:00', 10, { agent: 'one', threads: 10 }),
    download('2026-01-03 10:00:00', 20, { agent: 'one', threads: 10 }),
    download('2026-01-02 10:00:00', 30, { agent: 'two', threads: 8 }),
    download('2026-01-02 10:00:00', 40, { agent: 'three', threads: 8 }),
    download('2026-01-02 10:00:00', 50, { agent: 'three', threads: null }),
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-01-31'), splits: ['threads', 'custom.region'] },
  data: [
    { metricData: [{ threads: 8, 'custom.region': 'B', dtime: '2026-01-02', metricValue: 30 }] },
    { metricData: [{ threads: 8, 'custom.region': null, dtime: '2026-01-02', metricValue: 40 }] },
    {
      metricData: [
        { threads: 10, 'custom.region': 'b', dtime: '2026-01-02', metricValue: 10 },
        { threads: 10, 'custom.region': 'b', dtime: '2026-01-03', metricValue: 20 },
      ],
    },
    { metricData: [{ threads: null, 'custom.region': null, dtime: '2026-01-02', metricValue: 50 }] },
  ],
})
