import { daily, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'The value of an agent for a ratio is the ratio of its sums, and `agent_agg: true` asks for it.',
  agents: { lossy: [], clean: [] },
  test: 'latency',
  rows: [
    { at: '2026-01-01 10:00:00', agent: 'lossy', target: 'server', successes: 1, failures: 3 },
    { at: '2026-01-01 11:00:00', agent: 'lossy', target: 'server', successes: 5, failures: 1 },
    { at: '2026-01-01 10:00:00', agent: 'clean', target: 'server', successes: 100, failures: 0 },
  ],
  request: { ...daily('packetLoss', '2026-01-01', '2026-01-01'), agent_agg: true },
  data: [
    {
      metricData: [
        {
          metricValue: 20,
          min: 0,
          max: 40,
          sampleCount: 3,
          agentCount: 2,
          agentsBelowMinimum: 0,
          caution: ['few_agents', 'few_failures'],
        },
      ],
    },
  ],
})
