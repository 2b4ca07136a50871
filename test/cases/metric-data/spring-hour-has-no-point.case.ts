import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'The skipped hour of a spring night has no point, and half-hour shifts are half an hour.',
  agents: { island: [{ from: '2026-01-01', timezone: 'Australia/Lord_Howe' }] },
  test: 'httpget',
  // On 4 October 2026 at 02:00 local time, Lord Howe's offset from UTC changes from +10:30 to +11:00.
  rows: [
    download('2026-10-03 15:29:59', 10), // 01:59:59 local time
    download('2026-10-03 15:30:00', 30), // 02:30:00 local time
  ],
  request: { ...daily('httpget', '2026-10-04', '2026-10-04'), chartType: 'aggregate', aggregation: 'hourly' },
  data: [
    {
      metricData: [
        { dtime: '2026-10-04T01:00:00', metricValue: 10 },
        { dtime: '2026-10-04T02:00:00', metricValue: 30 },
      ],
    },
  ],
})
