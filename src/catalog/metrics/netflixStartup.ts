import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { secondsOfMicroseconds } from '../measure.ts'
import { videoRules } from '../prefilters/video.ts'

export default defineMetric({
  key: 'netflixStartup',
  name: 'Netflix startup time',
  description:
    'Time to fill the buffer before Netflix playback would have begun. Pools all servers that Netflix chose.',
  unit: 's',
  test: 'netflix',
  measure: secondsOfMicroseconds(sql`prebuffering_duration`),
  prefilter: videoRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
