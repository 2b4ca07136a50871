import { sql, type Sql } from '../../src/base/sql.ts'
import networkUsage from '../../src/catalog/tests/network_usage.ts'
import { chance, logNormal } from '../chance.ts'
import { isHourOf } from '../clock.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { numberOf } from '../lists.ts'
import { isPluggedIn } from '../slots.ts'
import { householdUse } from './households.ts'
import { players, secondsOfVideo, videoSteps } from './streaming.ts'
import { usualSpeed, type Direction } from './transfer.ts'
import { pageOfHour, webPages } from './webget.ts'

/** Number of speed tests that the agent runs in this hour. */
const speedTests = (test: string): Sql =>
  sql`multiIf(is_outlier, 6, is_heavy OR ${isHourOf(test, 'speed_block')}, 1, 0)`

/** Number of bytes that a speed test transfers at the speed that the line has at this time. */
const speedTestBytes = (direction: Direction): Sql =>
  sql`21 * 1.06 * least(118000000, ${usualSpeed(direction)} * (1 - least(0.9, ${direction === 'up' ? sql`0.5 * ` : sql``}evening_dip * busy)))`

export default defineSynthesis({
  test: networkUsage,
  afterSeconds: 'end of the hour',
  steps: {
    ...householdUse,
    received: sql`least(wanted, advertised_down * least(1, attained) * 3000) * if(is_out, 0.6 * ${chance('before the outage')}, 1)`,
    sent: sql`least(received * 0.09 * ${logNormal(sql`0.6`, 'sent', sql`line`)} * ${logNormal(sql`0.5`, 'sent')}, advertised_up * least(1, attained) * 3000)`,
    // The bytes of the tests of this hour, with packet headers: two videos, a web page, small packets, and speed tests of 20
    // seconds after their warm-up. In an outage the tests transfer nearly nothing.
    ...videoSteps(players.netflix, usualSpeed('down')),
    ...videoSteps(players.youtube, usualSpeed('down')),
    small_tests: sql`(${secondsOfVideo} * (netflix_bitrate + youtube_bitrate)
      + ${numberOf(webPages, ({ bytes }) => bytes, pageOfHour)}) * (1.06 + 0.04 * ${chance('small tests')}) + 400000`,
    tested: sql`if(is_out, 90000, small_tests + ${speedTests('httpget')} * ${speedTestBytes('down')})`,
    tested_up: sql`if(is_out, 120000, small_tests * (0.02 + 0.012 * ${chance('acknowledgements')}) + 350000 + ${speedTests('httppost')} * ${speedTestBytes('up')})`,
    // A counter starts from zero when its unit starts, so it lacks the part of the hour before. Unreliable units still subtract
    // what the counter had before: a household's traffic of an hour to two months.
    is_restarted: sql`oddity IN (1, 4) OR ${isPluggedIn}`,
    counted_part: sql`if(is_restarted, ${chance('restarted')}, 1)`,
    counted_before: sql`if(oddity IN (1, 4) OR is_restarted AND oddities > 0.01,
      (0.4 * household + small_tests) * exp(7.2 * ${chance('counted before')}), 0)`,
  },
  always: {
    // Implausible results: a counter that restarted, the total since the router's last start instead of the difference, or a
    // difference that lacks a part of the tests.
    wan_rx_bytes: sql`multiIf(oddity = 2, 110000000000 + 300 * household * ${chance('since start')}, oddity = 3, tested / 2,
      received * counted_part + tested - counted_before)`,
    wan_tx_bytes: sql`sent * counted_part + tested_up - counted_before * least(0.3, (sent + tested_up) / (received + tested))`,
    sk_rx_bytes: sql`tested`,
    sk_tx_bytes: sql`tested_up`,
  },
  measured: {},
})
