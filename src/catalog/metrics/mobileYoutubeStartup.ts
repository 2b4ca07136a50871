import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { secondsOfMicroseconds } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'mobileYoutubeStartup',
  name: 'Mobile YouTube startup time',
  description:
    'Time from the request of a YouTube video on a mobile device until playback would have begun. Pools all phones, mobile operators, connection types (Wi-Fi included), cellular technologies and countries, and all videos.',
  unit: 's',
  test: 'mobile_youtube',
  measure: secondsOfMicroseconds(sql`startup_delay`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
