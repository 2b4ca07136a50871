import { sql } from '../../src/base/sql.ts'
import networkUsage from '../../src/catalog/tests/network_usage.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'

export default defineSynthesis({
  test: networkUsage,
  steps: {
    // Some households use ten times what others do, and nobody more than the line carries in an hour.
    household: sql`650000000 * ${logNormal(sql`1`, 'household', sql`line`)}`,
    wanted: sql`household * load * load * ${logNormal(sql`0.9`, 'received')} + 3000000`,
    received: sql`if(is_failed, 0, least(wanted, advertised_down * 3000))`,
    sent: sql`received * 0.09 * ${logNormal(sql`0.5`, 'sent')}`,
    // Every hour small tests, in one hour of four a speed test.
    tested: sql`if(is_failed, 0, 6000000 + if(${chance('speed test')} < 0.25, least(advertised_down * 10, 1200000000), 0))`,
    tested_up: sql`if(is_failed, 0, 3000000 + if(${chance('speed test')} < 0.25, advertised_up * 10, 0))`,
  },
  always: {
    // Counters that wrapped, that jumped, and that do not add up.
    wan_rx_bytes: sql`multiIf(oddity = 1, -received, oddity = 2, 110000000000 + received, oddity = 3, tested / 2,
      received + tested)`,
    wan_tx_bytes: sql`if(oddity = 4, -sent - 1, sent + tested_up)`,
    sk_rx_bytes: sql`tested`,
    sk_tx_bytes: sql`tested_up`,
  },
  measured: {},
})
