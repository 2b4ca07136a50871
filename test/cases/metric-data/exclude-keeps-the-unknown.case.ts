import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Excluding an ISP keeps agents without a known ISP; including it does not.',
  agents: {
    known: [{ from: '2026-01-01', isp: 'Acme' }],
    other: [{ from: '2026-01-01', isp: 'Borough' }],
    unknown: [],
  },
  test: 'httpget',
  rows: [
    download('2026-01-02 10:00:00', 10, { agent: 'known' }),
    download('2026-01-02 10:00:00', 20, { agent: 'other' }),
    download('2026-01-02 10:00:00', 40, { agent: 'unknown' }),
  ],
  request: {
    ...daily('httpget', '2026-01-02', '2026-01-02'),
    filters: [{ id: 'isp', filterType: 'exclude', filterValues: ['Acme', 'Nobody'] }],
  },
  data: [{ metricData: [{ metricValue: 30, sampleCount: 2, agentCount: 2 }] }],
})
