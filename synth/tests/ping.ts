import { sql } from '../../src/base/sql.ts'
import ping from '../../src/catalog/tests/ping.ts'
import { pick } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { textOf } from '../lists.ts'
import { roundTripTo } from '../networks.ts'
import { packetOutcome, roundTripColumns, roundTripSteps } from './round-trips.ts'
import { siteOf, type WebHost } from './servers.ts'

export const pingHosts = [
  { name: 'www.example.com', share: 50, site: 'every' },
  { name: 'www.example.org', share: 5, site: 'newyork-1' },
  { name: 'games.example.net', share: 15, site: 'frankfurt-1' },
  { name: 'news.example.com', share: 30, site: 'london-1' },
] as const satisfies readonly (WebHost & { name: string; share: number })[]

export default defineSynthesis({
  test: ping,
  afterSeconds: 6,
  // A line that works loses some packets, but not all of them.
  failures: { rate: 0 },
  steps: {
    host: pick(pingHosts, 'host'),
    host_rtt: roundTripTo(siteOf(pingHosts, sql`host`)),
    ...roundTripSteps({ sent: sql`5`, rtt: sql`host_rtt` }),
  },
  always: { target: textOf(pingHosts, ({ name }) => name, sql`host`), ...packetOutcome },
  // Implausible results: an agent that was restarted during the test reports round-trip times of 0.
  measured: Object.fromEntries(
    Object.entries(roundTripColumns).map(([name, value]) => [name, sql`if(oddity = 1, 0, ${value})`]),
  ),
})
