import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { megabitsOfBytes } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'youtubeBitrate',
  name: 'YouTube bitrate',
  description: 'Bitrate at which YouTube was streamed. Pools all videos, and all servers that YouTube chose.',
  unit: 'mbps',
  test: 'youtube',
  measure: megabitsOfBytes(sql`bitrate`),
  prefilter: videoRules,
  higherIsBetter: true,
  aggregatedOnly: false,
})
