import { daily, download, metricCase } from '../metric-case.ts'

const empty = { blocksSeen: 0, blocksExpected: 1, agentsGone: 0 }
const seen = { blocksSeen: 1, blocksExpected: 1 }

export default metricCase({
  guarantee: 'Empty buckets inside a window expect the blocks of their hours, also on a day without any result.',
  test: 'httpget',
  rows: [download('2026-01-01 20:30:00', 40), download('2026-01-05 18:30:00', 40)], // Thursday and Monday
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-05'),
    aggregation: 'two_hourly',
    window: { weekdays: [1, 2, 3, 4, 5], hours: [18, 20] },
    emptyBuckets: true,
    include: ['coverage'],
    percentiles: 'none',
  },
  data: [
    {
      metricData: [
        { dtime: '2026-01-01T18:00:00', sampleCount: 0, coverage: empty },
        { dtime: '2026-01-01T20:00:00', sampleCount: 1, coverage: seen },
        { dtime: '2026-01-02T18:00:00', sampleCount: 0, coverage: empty },
        { dtime: '2026-01-02T20:00:00', sampleCount: 0, coverage: empty },
        { dtime: '2026-01-05T18:00:00', sampleCount: 1, coverage: seen },
        { dtime: '2026-01-05T20:00:00', sampleCount: 0, coverage: { blocksSeen: 0, blocksExpected: 1 } },
      ],
    },
  ],
})
