import { sql } from '../../src/base/sql.ts'
import mobileYoutube from '../../src/catalog/tests/mobile_youtube.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { roundTripTo } from '../networks.ts'
import { phoneColumns } from './phone-columns.ts'
import { radioFailures, radioSteps } from './radios.ts'
import { players, streamingSteps } from './streaming.ts'
import { youtubeAlways, youtubeMeasured } from './youtube-columns.ts'

export default defineSynthesis({
  test: mobileYoutube,
  afterSeconds: 120,
  failures: radioFailures(0.002),
  steps: {
    ...radioSteps,
    ...streamingSteps(players.youtube, {
      speed: sql`radio_down`,
      usual: sql`radio_down`,
      rtt: sql`radio_rtt + ${roundTripTo(sql`near`)}`,
    }),
  },
  always: { ...youtubeAlways, ...phoneColumns },
  measured: youtubeMeasured,
})
