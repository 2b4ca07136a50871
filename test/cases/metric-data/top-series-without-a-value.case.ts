import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'The series of results without a value of the only split can be among the top series.',
  agents: {
    home: [{ from: '2026-01-01', custom: { region: 'north' } }],
    office: [{ from: '2026-01-01', custom: { colour: 'red' } }],
    shop: [{ from: '2026-01-01', custom: { region: 'south' } }],
  },
  test: 'httpget',
  rows: [
    download('2026-01-02 10:00:00', 20, { agent: 'home' }),
    download('2026-01-02 10:00:00', 90, { agent: 'office' }),
    download('2026-01-02 10:00:00', 10, { agent: 'shop' }),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-05'),
    splits: ['custom.region'],
    top: { n: 2, others: false },
  },
  data: [
    { metricData: [{ dtime: '2026-01-02', 'custom.region': null, metricValue: 90 }] },
    { metricData: [{ dtime: '2026-01-02', 'custom.region': 'north', metricValue: 20 }] },
  ],
})
