import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A window keeps results by the agent’s own clock: its hours to the last second, its days of the week.',
  agents: {
    london: [{ from: '2026-01-01', timezone: 'Europe/London' }],
    tokyo: [{ from: '2026-01-01', timezone: 'Asia/Tokyo' }],
  },
  test: 'httpget',
  rows: [
    download('2026-01-05 18:59:59.999', 1, { agent: 'london' }), // Monday
    download('2026-01-05 19:00:00', 10, { agent: 'london' }),
    download('2026-01-05 22:59:59.999', 20, { agent: 'london' }),
    download('2026-01-05 23:00:00', 2, { agent: 'london' }),
    download('2026-01-05 10:00:00', 30, { agent: 'tokyo' }), // 19:00 in Tokyo
    download('2026-01-09 20:00:00', 3, { agent: 'tokyo' }), // Saturday 05:00 in Tokyo
    download('2026-01-10 20:00:00', 4, { agent: 'london' }), // Saturday
    download('2026-01-11 20:00:00', 5, { agent: 'london' }), // Sunday
    download('2026-01-11 10:00:00', 6, { agent: 'tokyo' }),
    download('2026-01-09 13:00:00', 40, { agent: 'tokyo' }), // Friday 22:00 in Tokyo
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-31'),
    window: { weekdays: [5, 4, 3, 2, 1], hours: [19, 20, 21, 22] },
  },
  data: [
    {
      metricData: [
        { dtime: '2026-01-05', metricValue: 20, sampleCount: 3, agentCount: 2 },
        { dtime: '2026-01-09', metricValue: 40, sampleCount: 1 },
      ],
    },
  ],
})
