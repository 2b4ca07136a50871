import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Inside a window, the weight of a block is the number of its hours inside the window.',
  test: 'httpget',
  rows: [
    download('2026-01-05 18:30:00', 1000), // outside the window
    download('2026-01-05 19:10:00', 100), // block 18–20; only the hour 19 is in the window
    download('2026-01-05 20:10:00', 40), // block 20–22
    download('2026-01-05 21:10:00', 60),
    download('2026-01-05 22:10:00', 20), // block 22–24; only the hour 22 is in the window
    download('2026-01-05 23:10:00', 1000),
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-31'),
    normalised: true,
    window: { hours: [19, 20, 21, 22] },
  },
  data: [{ metricData: [{ dtime: '2026-01-05', metricValue: (100 + 2 * 50 + 20) / 4, sampleCount: 4 }] }],
})
