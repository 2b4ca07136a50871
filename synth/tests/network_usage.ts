import { identifier, sql, type Sql } from '../../src/base/sql.ts'
import networkUsage from '../../src/catalog/tests/network_usage.ts'
import { chance, logNormal } from '../chance.ts'
import { isHourOf } from '../clock.ts'
import { defineSynthesis } from '../define-synthesis.ts'

/** Number of speed tests that the agent runs in this hour. */
const speedTests = (test: string): Sql =>
  sql`multiIf(is_outlier, 6, is_heavy OR ${isHourOf(test, 'speed_block')}, 1, 0)`

/** Number of bytes that a speed test transfers at the speed that the line has on this day. */
const speedTestBytes = (advertised: string): Sql =>
  sql`22 * 1.06 * least(118000000, ${identifier(advertised)} * least(speed_limit, attained * level))`

export default defineSynthesis({
  test: networkUsage,
  steps: {
    // Some households use ten times as much as others. Households with a faster line use more, but not more than the line
    // carries.
    household: sql`640000000 * ${logNormal(sql`1`, 'household', sql`line`)} * least(1.6, pow(advertised_down / 12500000, 0.25))`,
    // A household uses six times as much in the evening as at night, when devices only update themselves. It stays at home or
    // away for a few hours.
    wanted: sql`household * (0.1 + 0.9 * pow(load, 1.2)) * ${logNormal(sql`0.4`, 'day of use', sql`line + day`)}
      * ${logNormal(sql`0.55`, 'use', sql`line + day * 8 + intDiv(local_hour, 3)`)} * ${logNormal(sql`0.5`, 'received')}
      + 3000000`,
    received: sql`if(is_failed, 0, least(wanted, advertised_down * least(1, attained) * 3000))`,
    sent: sql`least(received * 0.09 * ${logNormal(sql`0.5`, 'sent')}, advertised_up * least(1, attained) * 3000)`,
    // The bytes of the tests: small tests every hour, and speed tests of 22 seconds including warm-up and packet headers.
    tested: sql`if(is_failed, 0, 6000000 * (1 + 0.1 * ${chance('small tests')}) + ${speedTests('httpget')} * ${speedTestBytes('advertised_down')})`,
    tested_up: sql`if(is_failed, 0, 3000000 * (1 + 0.1 * ${chance('small tests')}) + ${speedTests('httppost')} * ${speedTestBytes('advertised_up')})`,
  },
  always: {
    // Implausible results: a counter of 32 bits wrapped around, the total since the router's last start instead of the
    // difference, or a counter that was reset during the hour.
    wan_rx_bytes: sql`multiIf(oddity = 1, (received + tested) % 4294967296 - 4294967296,
      oddity = 2, 110000000000 + 300 * household * ${chance('since start')}, oddity = 3, tested / 2, received + tested)`,
    wan_tx_bytes: sql`if(oddity = 4, (sent + tested_up) % 4294967296 - 4294967296, sent + tested_up)`,
    sk_rx_bytes: sql`tested`,
    sk_tx_bytes: sql`tested_up`,
  },
  measured: {},
})
