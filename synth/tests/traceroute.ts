import { sql } from '../../src/base/sql.ts'
import traceroute from '../../src/catalog/tests/traceroute.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { addressOf, hostOfIsp, server, testServer } from './servers.ts'

/** What belongs to one hop of one result. */
const hopDraw = sql`cityHash64(draw, part)`

/** Some routers never answer; the target does. A path that fails ends in silence after the ISP's first routers. */
const answers = sql`(part = hops OR ${chance('answers', sql`cityHash64(line, part)`)} > 0.08)
  AND NOT (is_failed AND part > 2)`

export default defineSynthesis({
  test: traceroute,
  // Ten rows a result, and paths change slowly.
  everyHours: 6,
  steps: { server, end: addressOf(sql`server`, sql`false`), hops: sql`7 + (line + place) % 7` },
  parts: { each: sql`range(1, 1 + toUInt32(hops))`, about: 10 },
  always: {
    target: testServer,
    address: sql`end`,
    protocol: sql`if(line % 10 < 7, 'icmp', 'udp')`,
    hop: sql`part`,
    hop_address: sql`multiIf(NOT (${answers}), NULL, part = hops, end,
      concat('203.0.113.', toString(1 + (isp * 7 + part * 13 + server) % 250)))`,
    hop_name: sql`multiIf(NOT (${answers}), NULL, part = hops, ${testServer},
      part < 4, ${hostOfIsp(sql`concat('core', toString(part))`)}, NULL)`,
    sent: sql`3`,
    received: sql`if(${answers}, 3, 0)`,
    rtt_avg: sql`if(${answers}, 700 + line_rtt * part / hops * ${logNormal(sql`0.1`, 'hop', hopDraw)}, NULL)`,
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
  },
  measured: {},
})
