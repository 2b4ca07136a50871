import { sql } from '../../src/base/sql.ts'
import mobileWww from '../../src/catalog/tests/mobile_www.ts'
import { logNormal, oneOf } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { roundTripTo } from '../networks.ts'
import { phoneColumns } from './phone-columns.ts'
import { radioFailures, radioSteps } from './radios.ts'
import { believable } from './webget.ts'

const pages = ['http://www.example.com/', 'http://news.example.org/', 'http://m.example.net/']

export default defineSynthesis({
  test: mobileWww,
  afterSeconds: 90,
  failures: radioFailures(0.003),
  steps: {
    ...radioSteps,
    page_rtt: roundTripTo(sql`near`),
    size: sql`1100000 * ${logNormal(sql`0.25`, 'size')}`,
    radio_time: sql`1000000 * size / least(radio_down, 6000000)`,
    fetch: believable(sql`12 * (radio_rtt + page_rtt) + radio_time + 250000 * ${logNormal(sql`0.4`, 'rendering')}`),
  },
  always: {
    target: oneOf(pages, 'page'),
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
    ...phoneColumns,
  },
  measured: { fetch_time: sql`fetch`, bytes_total: sql`size`, bytes_sec: sql`1000000 * size / fetch` },
})
