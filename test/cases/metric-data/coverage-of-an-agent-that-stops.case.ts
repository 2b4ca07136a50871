import { daily, download, metricCase } from '../metric-case.ts'

const at = (day: number, ...hours: number[]) =>
  hours.map((hour) => `2026-01-0${day} ${String(hour).padStart(2, '0')}:30:00`)
const late = { ingested_at: '2026-01-05 12:00:00.000' }

export default metricCase({
  guarantee:
    'Coverage expects an agent in every block from its first to its last day; an agent that stopped is gone, not missing.',
  agents: { steady: [], stopped: [] },
  test: 'httpget',
  rows: [
    // Six blocks on the first day, of which one has two results; none on the second day; one block on the third day.
    ...at(1, 1, 2, 7, 13, 19, 21, 23).map((time) => download(time, 40, { agent: 'steady', ...late })),
    ...at(3, 1).map((time) => download(time, 40, { agent: 'steady', ingested_at: '2026-01-03 01:31:00.000' })),
    ...at(1, 1).map((time) => download(time, 40, { agent: 'stopped', ...late })),
    ...at(2, 7, 13).map((time) => download(time, 40, { agent: 'stopped', ...late })),
  ],
  request: { ...daily('httpget', '2026-01-01', '2026-01-04'), include: ['coverage'], percentiles: 'none' },
  data: [
    {
      metricData: [
        {
          dtime: '2026-01-01',
          coverage: {
            agentsOfRange: 2,
            agentsSeen: 2,
            agentsGone: 0,
            blocksSeen: 7,
            blocksExpected: 12,
            share: 7 / 12,
            lateShare: 1,
            newestStored: '2026-01-05T12:00:00.000Z',
          },
        },
        {
          dtime: '2026-01-02',
          coverage: { agentsOfRange: 2, agentsSeen: 1, agentsGone: 0, blocksSeen: 2, blocksExpected: 12 },
        },
        {
          dtime: '2026-01-03',
          coverage: {
            agentsOfRange: 2,
            agentsSeen: 1,
            agentsGone: 1,
            blocksSeen: 1,
            blocksExpected: 6,
            lateShare: 0,
            newestStored: '2026-01-03T01:31:00.000Z',
          },
        },
      ],
    },
  ],
})
