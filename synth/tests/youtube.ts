import { sql } from '../../src/base/sql.ts'
import youtube from '../../src/catalog/tests/youtube.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { ladders, streamingSteps } from './streaming.ts'
import { throughput } from './transfer.ts'
import { youtubeAlways, youtubeMeasured } from './youtube-columns.ts'

export default defineSynthesis({
  test: youtube,
  steps: streamingSteps(ladders.youtube, throughput(sql`advertised_down`), sql`line_rtt`),
  always: youtubeAlways,
  measured: youtubeMeasured,
})
