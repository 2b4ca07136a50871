import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'An explained prefilter counts the matches of each rule, and returns a point without statistics if it removes every result.',
  agents: { home: [], flat: [] },
  test: 'httpget',
  rows: [
    download('2026-01-01 10:00:00', 40),
    download('2026-01-01 11:00:00', 10_001), // above 10 Gbit/s
    download('2026-01-01 12:00:00', 0, { warmup_time: null }), // nothing transferred, and no warm-up
    download('2026-01-01 13:00:00', 59, { warmup_time: 0, agent: 'flat' }), // no warm-up
    download('2026-01-02 10:00:00', 50, { warmup_time: 0 }),
    download('2026-01-03 10:00:00', 60),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-03'),
    prefilter: true,
    include: ['prefilter'],
    percentiles: 'none',
  },
  data: [
    {
      metricData: [
        {
          dtime: '2026-01-01',
          metricValue: 40,
          sampleCount: 1,
          agentCount: 1,
          prefilter: {
            before: 4,
            removed: 3,
            unfilteredValue: 2_525,
            agentsLost: 1,
            rules: [
              { name: 'no-throughput', version: 1, matched: 1, alone: 0 },
              { name: 'above-10-gigabit', version: 1, matched: 1, alone: 1 },
              { name: 'no-warm-up', version: 1, matched: 2, alone: 1 },
            ],
          },
        },
        {
          dtime: '2026-01-02',
          metricValue: null,
          stdDev: null,
          sampleCount: 0,
          agentCount: 0,
          unitCount: 0,
          ci95: null,
          min: null,
          max: null,
          prefilter: { before: 1, removed: 1, unfilteredValue: 50, agentsLost: 1 },
        },
        { dtime: '2026-01-03', metricValue: 60, sampleCount: 1, prefilter: { before: 1, removed: 0, agentsLost: 0 } },
      ],
    },
  ],
})
