import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Series are ranked by their totals, and the rest is one series in which each agent counts once.',
  agents: { home: [{ from: '2026-01-01', isp: 'Acme' }], office: [{ from: '2026-01-01', isp: 'Borough' }] },
  test: 'httpget',
  rows: [
    download('2026-01-02 10:00:00', 90, { target: 'near' }),
    download('2026-01-03 10:00:00', 30, { target: 'near' }),
    // The mean of its two points is 70, its total 50: rank 2.
    download('2026-01-02 11:00:00', 100, { target: 'far' }),
    download('2026-01-03 11:00:00', 40, { target: 'far' }),
    download('2026-01-03 12:00:00', 40, { target: 'far' }),
    download('2026-01-03 13:00:00', 20, { target: 'far' }),
    download('2026-01-03 14:00:00', 10, { target: 'one' }),
    download('2026-01-03 15:00:00', 20, { target: 'two' }),
    download('2026-01-03 16:00:00', 60, { target: 'two', agent: 'office' }),
    download('2026-01-03 17:00:00', 20, { target: 'two', agent: 'office' }),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-05'),
    splits: ['target'],
    top: { n: 2 },
    fields: ['metricValue', 'sampleCount', 'agentCount'],
  },
  data: [
    {
      metricData: [
        { dtime: '2026-01-02', target: 'near', metricValue: 90, sampleCount: 1 },
        { dtime: '2026-01-03', target: 'near', metricValue: 30, sampleCount: 1 },
      ],
    },
    {
      metricData: [
        { dtime: '2026-01-02', target: 'far', metricValue: 100, sampleCount: 1 },
        { dtime: '2026-01-03', target: 'far', sampleCount: 3 },
      ],
    },
    {
      metricData: [
        { dtime: '2026-01-03', target: null, other: true, metricValue: 27.5, sampleCount: 4, agentCount: 2 },
      ],
    },
  ],
})
