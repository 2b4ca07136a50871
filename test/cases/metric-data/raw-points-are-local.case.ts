import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'Raw points show the agent’s local time, truncated to the second, its id, and the splits; failed tests have none.',
  agents: { kathmandu: [{ from: '2026-01-01', timezone: 'Asia/Kathmandu', isp: 'Acme', custom: { "it's `odd`": 7 } }] },
  test: 'httpget',
  rows: [
    download('2026-01-02 20:00:00.900', 8, { threads: 4 }),
    download('2026-01-02 21:00:00.000', 0, { successes: 0, failures: 1 }),
    download('2026-01-02 22:00:00.000', 16),
  ],
  request: {
    ...daily('httpget', '2026-01-03', '2026-01-03'),
    chartType: 'raw',
    splits: ['isp', 'agent', 'threads', "custom.it's `odd`"],
  },
  data: [
    {
      metricData: [
        {
          metricValue: 8,
          dtime: '2026-01-03T01:45:00',
          agent: 'raw-points-are-local-kathmandu',
          isp: 'Acme',
          threads: 4,
          "custom.it's `odd`": '7',
        },
        { metricValue: 16, dtime: '2026-01-03T03:45:00', threads: null },
      ],
    },
  ],
})
