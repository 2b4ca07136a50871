import { sql } from '../../src/base/sql.ts'
import mobileYoutube from '../../src/catalog/tests/mobile_youtube.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { phoneColumns } from './phone-columns.ts'
import { radioSteps } from './radios.ts'
import { ladders, streamingSteps } from './streaming.ts'
import { youtubeAlways, youtubeMeasured } from './youtube-columns.ts'

export default defineSynthesis({
  test: mobileYoutube,
  steps: { ...radioSteps, ...streamingSteps(ladders.youtube, sql`radio_down`, sql`radio_rtt`) },
  always: { ...youtubeAlways, ...phoneColumns },
  measured: youtubeMeasured,
})
