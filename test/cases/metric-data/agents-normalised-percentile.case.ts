import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'A normalised percentile of an agent weights the blocks of the day by their hours, from its own results alone.',
  agents: { night: [], evening: [] },
  test: 'httpget',
  rows: [
    // The block from 0 to 6 has one result of 6 hours; the block from 20 to 22 has two results of one hour each.
    download('2026-01-01 03:00:00', 100, { agent: 'night' }),
    download('2026-01-01 20:10:00', 10, { agent: 'night' }),
    download('2026-01-01 21:10:00', 20, { agent: 'night' }),
    // Equal weights: the percentile is that without normalisation.
    download('2026-01-01 20:10:00', 30, { agent: 'evening' }),
    download('2026-01-01 21:10:00', 50, { agent: 'evening' }),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-01'),
    normalised: true,
    perAgent: { statistic: 'percentile', level: 50 },
    percentiles: 'none',
  },
  // Cumulative weights 1, 2 and 8 of 8; n* = 64 / 38; the window of the median is from 13 / 64 to 51 / 64.
  data: [
    { metricData: [{ metricValue: (1_780 / 19 + 40) / 2, min: 40, max: 1_780 / 19, sampleCount: 5, agentCount: 2 }] },
  ],
})
