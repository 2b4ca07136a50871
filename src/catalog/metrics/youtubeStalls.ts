import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { counted } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'youtubeStalls',
  name: 'YouTube stalls',
  description:
    'Number of times that YouTube playback would have stopped because the buffer was empty. Pools all videos, and all servers that YouTube chose.',
  unit: 'count',
  test: 'youtube',
  measure: counted(sql`stall_events`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
