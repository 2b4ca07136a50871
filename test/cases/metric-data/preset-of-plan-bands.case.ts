import { daily, download, metricCase } from '../metric-case.ts'

/** 9,999,999 bytes a second are just below 80 Mbit/s. */
const belowEighty = 9_999_999 * 8e-6

const evenings = (agent: string, mbps: readonly number[]) =>
  mbps.map((speed, index) =>
    download(`2026-01-07 ${19 + (index % 4)}:0${index}:00`, 0, { agent, bytes_sec: Math.round(speed * 125_000) }),
  )

export default metricCase({
  guarantee:
    'Homes are counted by the median of their share of the plan, 80 and 95 % in the band between, few results left out.',
  agents: {
    eighty: [{ from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' }],
    almost: [{ from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' }],
    limit: [{ from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' }],
    faster: [{ from: '2026-01-01', isp: 'Borough', package: 'Cable 250' }],
    seldom: [{ from: '2026-01-01', isp: 'Acme', package: 'Fibre 100' }],
  },
  test: 'httpget',
  rows: [
    ...evenings('eighty', [10, 80, 80, 80, 99]),
    ...evenings('almost', [10, 10, belowEighty, 99, 99]),
    ...evenings('limit', [95, 95, 95, 95, 95]),
    ...evenings('faster', [238, 238, 238, 238, 238]),
    ...evenings('seldom', [99, 99, 99, 99]),
    download('2026-01-07 12:00:00', 99, { agent: 'seldom' }), // outside the peak
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-31'),
    aggregation: 'total',
    preset: 'fcc.plan-bands',
    fields: ['agentCount'],
  },
  data: [
    {
      metricData: [
        {
          agentCount: 4,
          agentsBelowMinimum: 1,
          histogram: { edges: [80, 95], counts: [2], below: 1, above: 1 },
        },
      ],
    },
  ],
})
