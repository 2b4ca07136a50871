import { daily, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'The normalised value of an agent for a ratio weights the hours of its own results equally.',
  agents: { lossy: [], clean: [] },
  test: 'latency',
  rows: [
    { at: '2026-01-01 10:00:00', agent: 'lossy', target: 'server', successes: 1, failures: 3 },
    // Each of these two results has half the weight of the first one.
    { at: '2026-01-01 11:00:00', agent: 'lossy', target: 'server', successes: 5, failures: 1 },
    { at: '2026-01-01 11:30:00', agent: 'lossy', target: 'server', successes: 3, failures: 3 },
    { at: '2026-01-01 11:00:00', agent: 'clean', target: 'server', successes: 100, failures: 0 },
  ],
  request: {
    ...daily('packetLoss', '2026-01-01', '2026-01-01'),
    normalised: true,
    perAgent: { statistic: 'mean' },
    reaching: { atLeast: 50 },
  },
  // (3 + 4 / 2) / (4 + 12 / 2) of the attempts of the lossy agent fail.
  data: [{ metricData: [{ metricValue: 25, min: 0, max: 50, sampleCount: 4, agentCount: 2, reachingAgents: 1 }] }],
})
