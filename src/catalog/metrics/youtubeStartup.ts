import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { secondsOfMicroseconds } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'youtubeStartup',
  name: 'YouTube startup time',
  description: 'Time from asking for a YouTube video until it would have begun to play.',
  unit: 's',
  test: 'youtube',
  measure: secondsOfMicroseconds(sql`startup_delay`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
