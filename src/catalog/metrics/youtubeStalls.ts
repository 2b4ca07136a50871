import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { counted } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'youtubeStalls',
  name: 'YouTube stalls',
  description: 'Times YouTube would have stopped because the buffer ran empty.',
  unit: 'count',
  test: 'youtube',
  measure: counted(sql`stall_events`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
