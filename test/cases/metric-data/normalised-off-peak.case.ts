import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'If days of the week differ, a block of a week counts by its hours of a week: off-peak, 20–22 has the 4 hours of the weekend.',
  test: 'httpget',
  rows: [
    download('2026-01-05 03:00:00', 100), // Monday, block 0–6: 42 hours
    download('2026-01-06 19:30:00', 20), // Tuesday, block 18–20: 1 hour in peak on each of five days
    download('2026-01-06 20:30:00', 40), // block 20–22: 2 hours on each of five days
    download('2026-01-06 18:30:00', 50), // block 18–20: off-peak on five days with 1 hour and on two days with 2 hours
    download('2026-01-10 20:30:00', 10), // Saturday, block 20–22: off-peak on two days with 2 hours
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-31'),
    aggregation: 'weekly',
    normalised: true,
    splits: ['peak'],
  },
  data: [
    {
      metricData: [
        { dtime: '2026-01-05', peak: 'off_peak', metricValue: (42 * 100 + 9 * 50 + 4 * 10) / 55, sampleCount: 3 },
      ],
    },
    { metricData: [{ dtime: '2026-01-05', peak: 'peak', metricValue: (5 * 20 + 10 * 40) / 15, sampleCount: 2 }] },
  ],
})
