import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { secondsOfMicroseconds } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'mobileYoutubeStartup',
  name: 'Mobile YouTube startup time',
  description: 'Time from asking for a YouTube video on a mobile device until it would have begun to play.',
  unit: 's',
  test: 'mobile_youtube',
  measure: secondsOfMicroseconds(sql`startup_delay`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
