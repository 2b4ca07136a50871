import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { secondsOfMicroseconds } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'youtubeStartup',
  name: 'YouTube startup time',
  description:
    'Time from the request of a YouTube video until playback would have begun. Pools all videos, and all servers that YouTube chose.',
  unit: 's',
  test: 'youtube',
  measure: secondsOfMicroseconds(sql`startup_delay`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
