import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'netflixBitrate',
  name: 'Netflix bitrate',
  description: 'Bitrate at which Netflix was streamed. Pools all servers that Netflix chose.',
  unit: 'mbps',
  test: 'netflix',
  measure: megabitsOfBytes(sql`bitrate`),
  prefilter: videoRules,
  higherIsBetter: true,
  aggregatedOnly: false,
})
