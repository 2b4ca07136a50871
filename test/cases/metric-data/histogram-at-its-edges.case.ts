import { daily, download, metricCase } from '../metric-case.ts'

export default metricCase({
  guarantee: 'A value that is equal to an edge is in the bin above it, and in the last bin if it is the last edge.',
  test: 'httpget',
  // Speeds such as 0.3 Mbit/s have no exact double; 0.3 is 37,500 bytes a second.
  rows: [12_500, 37_499, 37_500, 37_500, 87_500, 137_500, 137_501].map((bytes, hour) =>
    download(`2026-01-07 0${hour}:00:00`, 0, { bytes_sec: bytes }),
  ),
  request: {
    ...daily('httpget', '2026-01-07', '2026-01-07'),
    percentileLevels: [25, 99.9],
    histogram: { edges: [0.1, 0.3, 0.7, 1.1] },
    fields: ['sampleCount', 'median', 'percentiles'],
  },
  data: [
    {
      metricData: [
        {
          dtime: '2026-01-07',
          sampleCount: 7,
          median: 0.3,
          percentiles: { '25': 0.299_996, '99.9': 1.100_007_952 },
          histogram: { edges: [0.1, 0.3, 0.7, 1.1], counts: [2, 2, 2], below: 0, above: 1 },
        },
      ],
    },
  ],
})
