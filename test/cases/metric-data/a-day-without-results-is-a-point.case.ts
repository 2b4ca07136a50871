import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee:
    'With emptyBuckets, a day without results is a point with counts of 0, and the day after the range is none.',
  test: 'httpget',
  rows: [download('2026-01-02 10:00:00', 40), download('2026-01-04 10:00:00', 60), download('2026-01-04 23:59:59', 80)],
  request: { ...daily('httpget', '2026-01-01', '2026-01-05'), emptyBuckets: true, percentiles: 'none' },
  data: [
    {
      metricData: [
        { dtime: '2026-01-01', metricValue: null, sampleCount: 0, agentCount: 0, ci95: null, min: null },
        { dtime: '2026-01-02', metricValue: 40, sampleCount: 1, agentCount: 1 },
        { dtime: '2026-01-03', metricValue: null, sampleCount: 0, agentCount: 0, stdDev: null, max: null },
        { dtime: '2026-01-04', metricValue: 70, sampleCount: 2, agentCount: 1 },
        { dtime: '2026-01-05', metricValue: null, sampleCount: 0, agentCount: 0 },
      ],
    },
  ],
})
