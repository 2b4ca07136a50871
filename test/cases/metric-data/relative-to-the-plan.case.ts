import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A speed is relative to the speed that the agent’s package had on the day of the result.',
  agents: {
    home: [{ from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' }],
    mover: [
      { from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' },
      { from: '2026-02-10', isp: 'Borough', package: 'Cable 250' },
    ],
    ranger: [{ from: '2026-01-01', isp: 'Acme', package: 'Up to 80' }],
    stranger: [],
  },
  test: 'httpget',
  rows: [
    download('2026-02-28 23:59:59', 50), // of 100 Mbit/s
    download('2026-03-01 00:00:00', 50), // of 200 Mbit/s, the speed from this day on
    download('2026-02-09 12:00:00', 75, { agent: 'mover' }), // of 100 Mbit/s
    download('2026-02-10 12:00:00', 75, { agent: 'mover' }), // of 250 Mbit/s, in the other package
    download('2026-02-10 12:00:00', 70, { agent: 'ranger' }), // a package without a speed
    download('2026-02-11 12:00:00', 70, { agent: 'ranger', bytes_sec: 0, successes: 0, failures: 1 }),
    download('2026-03-02 12:00:00', 70, { agent: 'stranger' }), // no package
    download('2026-03-03 12:00:00', 70, { agent: 'ranger' }),
    download('2026-04-03 12:00:00', 70, { agent: 'ranger' }), // a point without results is no point
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-12-31'), aggregation: 'monthly', relativeTo: 'plan' },
  data: [
    {
      metricData: [
        {
          dtime: '2026-02-01',
          metricValue: (50 + 75 + 30) / 3,
          min: 30,
          max: 75,
          median: 50,
          sampleCount: 3,
          agentCount: 2,
          resultsWithoutPlan: 1,
        },
        { dtime: '2026-03-01', metricValue: 25, sampleCount: 1, agentCount: 1, resultsWithoutPlan: 2 },
      ],
    },
  ],
})
