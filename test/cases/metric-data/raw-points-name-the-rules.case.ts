import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Raw points of an explained prefilter contain the excluded results and the names of the rules.',
  test: 'httpget',
  rows: [
    download('2026-01-01 10:00:00', 40),
    download('2026-01-01 11:00:00', 0, { warmup_time: null }),
    download('2026-01-01 12:00:00', 10_001),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-01'),
    chartType: 'raw',
    prefilter: true,
    include: ['prefilter'],
  },
  data: [
    {
      metricData: [
        { metricValue: 40, removedBy: [] },
        { metricValue: 0, removedBy: ['no-throughput', 'no-warm-up'] },
        { metricValue: 10_001, removedBy: ['above-10-gigabit'] },
      ],
    },
  ],
})
