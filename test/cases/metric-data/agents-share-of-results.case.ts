import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'A share of an agent counts its results that reach a threshold, by the hours of the day if the request is normalised.',
  agents: { often: [], once: [] },
  test: 'httpget',
  rows: [
    download('2026-01-01 03:00:00', 80, { agent: 'often' }),
    download('2026-01-01 20:10:00', 79, { agent: 'often' }),
    download('2026-01-01 21:10:00', 90, { agent: 'often' }),
    download('2026-01-01 21:10:00', 10, { agent: 'once' }),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-01'),
    normalised: true,
    perAgent: { statistic: 'share', atLeast: 80 },
    reaching: { below: 5 },
    fields: ['metricValue', 'min', 'max'],
  },
  // Six hours of the night and one of the two hours from 20 to 22.
  data: [{ metricData: [{ metricValue: 43.75, min: 0, max: 87.5, reachingAgents: 1, reachingShare: 50 }] }],
})
