import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'An agent exactly at the threshold reaches `atLeast`, and a single agent has no intervals but those of its share.',
  test: 'httpget',
  rows: [download('2026-01-01 10:00:00', 70), download('2026-01-01 11:00:00', 80), download('2026-01-01 12:00:00', 90)],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-01'),
    perAgent: { statistic: 'median' },
    reaching: { atLeast: 80 },
    include: ['uncertainty'],
  },
  data: [
    {
      metricData: [
        {
          metricValue: 80,
          stdDev: 0,
          sampleCount: 3,
          agentCount: 1,
          ci95: null,
          median: 80,
          percentileIntervals: Object.fromEntries(
            [1, 5, 10, 20, 25, 50, 75, 80, 90, 95, 99].map((key) => [key, [null, null]]),
          ),
          reachingShare: 100,
          reachingLow: 2.5,
          reachingHigh: 100,
          reachingAgents: 1,
          agentsBelowMinimum: 0,
          caution: ['one_agent'],
        },
      ],
    },
  ],
})
