import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { counted } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'netflixStalls',
  name: 'Netflix stalls',
  description:
    'Number of times that Netflix playback would have stopped because the buffer was empty. Pools all servers that Netflix chose.',
  unit: 'count',
  test: 'netflix',
  measure: counted(sql`stall_events`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
