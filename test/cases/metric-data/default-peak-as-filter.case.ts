import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Peak is Monday to Friday from 19:00 to 22:59:59, and a filter by it matches only its exact names.',
  test: 'httpget',
  rows: [
    download('2026-01-09 18:59:59', 1), // Friday
    download('2026-01-09 19:00:00', 2),
    download('2026-01-09 22:59:59', 4),
    download('2026-01-09 23:00:00', 8),
    download('2026-01-10 20:00:00', 16), // Saturday
    download('2026-01-12 20:00:00', 32), // Monday
  ],
  request: {
    ...daily('httpget', '2026-01-01', '2026-01-31'),
    filters: [
      { id: 'peak', filterType: 'include', filterValues: ['peak', 'Peak'] },
      { id: 'day_of_week', filterType: 'exclude', filterValues: [1, '6'] },
    ],
  },
  data: [{ metricData: [{ dtime: '2026-01-09', metricValue: 3, sampleCount: 2 }] }],
})
