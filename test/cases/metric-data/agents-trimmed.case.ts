import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'A trimmed mean leaves out the results outside two percentiles of the agent, and the agents of which none is left.',
  agents: { three: [], two: [], same: [] },
  test: 'httpget',
  rows: [
    download('2026-01-01 10:00:00', 1, { agent: 'three' }),
    download('2026-01-01 11:00:00', 50, { agent: 'three' }),
    download('2026-01-01 12:00:00', 900, { agent: 'three' }),
    download('2026-01-01 10:00:00', 10, { agent: 'two' }),
    download('2026-01-01 11:00:00', 20, { agent: 'two' }),
    download('2026-01-01 10:00:00', 60, { agent: 'same' }),
    download('2026-01-01 11:00:00', 60, { agent: 'same' }),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-01'),
    perAgent: { statistic: 'trimmedMean', low: 1, high: 99 },
    fields: ['metricValue', 'min', 'max', 'agentCount'],
  },
  data: [{ metricData: [{ metricValue: 55, min: 50, max: 60, agentCount: 2, agentsBelowMinimum: 1 }] }],
})
