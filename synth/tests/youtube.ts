import { sql } from '../../src/base/sql.ts'
import youtube from '../../src/catalog/tests/youtube.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { roundTripTo } from '../networks.ts'
import { players, streamingSteps } from './streaming.ts'
import { throughput, usualSpeed } from './transfer.ts'
import { youtubeAlways, youtubeMeasured } from './youtube-columns.ts'

export default defineSynthesis({
  test: youtube,
  afterSeconds: 150,
  failures: { rate: 0.0025 },
  steps: streamingSteps(players.youtube, {
    speed: throughput('down'),
    usual: usualSpeed('down'),
    rtt: roundTripTo(sql`near`),
  }),
  always: youtubeAlways,
  measured: youtubeMeasured,
})
