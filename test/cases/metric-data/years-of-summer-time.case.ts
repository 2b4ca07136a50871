import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'Over years, every summer and every winter has its own offset.',
  agents: { london: [{ from: '2015-01-01', timezone: 'Europe/London' }] },
  test: 'httpget',
  rows: [2020, 2021, 2022, 2023].flatMap((year) => [
    download(`${year}-01-15 12:00:00`, 10), // 12:00 local time
    download(`${year}-07-15 12:00:00`, 30), // 13:00 local time
  ]),
  request: { ...daily('httpget', '2020-01-01', '2023-12-31'), aggregation: 'hour_of_day' },
  data: [
    {
      metricData: [
        { aggregatedNumber: 12, metricValue: 10, sampleCount: 4 },
        { aggregatedNumber: 13, metricValue: 30, sampleCount: 4 },
      ],
    },
  ],
})
