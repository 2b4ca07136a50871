import { daily, download, metricCase } from '../metric-case.ts'

const at = (day: number, ...hours: number[]) =>
  hours.map((hour) => download(`2026-01-${String(day).padStart(2, '0')} ${String(hour).padStart(2, '0')}:30:00`, 40))

export default metricCase({
  guarantee: 'Coverage expects only the blocks that a window overlaps, on its days of the week.',
  test: 'httpget',
  rows: [
    ...at(8, 19, 20, 21, 22), // Thursday: all three blocks
    ...at(9, 3, 19), // Friday: one block; 03:30 is outside the window
    ...at(10, 20), // Saturday: outside the window
    ...at(13, 22), // Tuesday of the next week: one block
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-31'),
    aggregation: 'weekly',
    window: { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] },
    include: ['coverage'],
    percentiles: 'none',
  },
  data: [
    {
      metricData: [
        { dtime: '2026-01-05', coverage: { agentsSeen: 1, agentsGone: 0, blocksSeen: 4, blocksExpected: 6 } },
        { dtime: '2026-01-12', coverage: { agentsSeen: 1, agentsGone: 0, blocksSeen: 1, blocksExpected: 6 } },
      ],
    },
  ],
})
