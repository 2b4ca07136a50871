import { sql } from '../../src/base/sql.ts'
import traceroute from '../../src/catalog/tests/traceroute.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { ofNetwork, pathTo } from '../networks.ts'
import { addressOf, hostOfIsp, testServer, toServer } from './servers.ts'

/** The random seed of one hop of one result. */
const hopDraw = sql`cityHash64(draw, part)`

/**
 * True if a hop answers. Some routers never answer; the target always does. In a failed test, no hop after the ISP's first two
 * routers answers.
 */
const answers = sql`(part = hops OR ${chance('answers', sql`cityHash64(line, part)`)} > 0.08)
  AND NOT (is_failed AND part > 2)`

/**
 * The path to a hop. Few links are long: one from the routers near the line to those at the hub, and one from the hub to the site
 * of the server.
 */
const travelled = sql`multiIf(part <= 2 + line % 2, 0,
  part < hops AND part <= hub_hop + 1 + (hub + server) % 2, hub_path, server_path)`

export default defineSynthesis({
  test: traceroute,
  afterSeconds: 70,
  // The agent runs this test rarely, because a result has ten rows and routes change slowly.
  everyHours: 6,
  steps: {
    ...toServer,
    server_path: pathTo(sql`server`),
    hub_path: pathTo(sql`hub`),
    end: addressOf(sql`server`, sql`false`),
    // The hops: the home router, the ISP's routers up to the hub, some more routers on the way to another site, and the target.
    hub_hop: sql`1 + ${ofNetwork(({ hops }) => hops)} + line % 2`,
    hops: sql`1 + hub_hop + if(server = hub, 0, 2 + (hub + server) % 2)
      + if(server_path - hub_path > 5000, 3 + server % 2, 0)`,
  },
  parts: { each: sql`range(1, 1 + toUInt32(hops))`, about: 10 },
  always: {
    target: testServer,
    address: sql`end`,
    protocol: sql`if(line % 10 < 7, 'icmp', 'udp')`,
    hop: sql`part`,
    hop_address: sql`multiIf(NOT (${answers}), NULL, part = hops, end, part = 1, ['192.168.1.1', '192.168.0.1', '192.168.1.254', '10.0.0.1'][1 + line % 4],
      concat('203.0.113.', toString(1 + cityHash64(isp, part, if(part < 5, hub, server), if(part < 4, place, 0), if(route_fate % 3 = 0 AND route_left > 0, route_fate, 0)) % 250)))`,
    hop_name: sql`multiIf(NOT (${answers}), NULL, part = hops, ${testServer},
      part = 1, NULL, part < 4, ${hostOfIsp(sql`concat('core', toString(part))`)}, NULL)`,
    sent: sql`3`,
    received: sql`if(${answers}, 3 - (${chance('one lost', hopDraw)} < 0.04) - (${chance('two lost', hopDraw)} < 0.01), 0)`,
    // Each router has its own delay. It sometimes answers slowly, because forwarding packets has priority.
    rtt_avg: sql`if(${answers}, 300 * ${logNormal(sql`0.7`, 'hop', hopDraw)}
      + if(part > 1 AND part < hops AND ${chance('slow answer', hopDraw)} < 0.07, 9000 * ${logNormal(sql`0.9`, 'slow answer', hopDraw)}, 0)
      + if(part = 1, 400, access_rtt + detour_time + ${travelled} + if(part = hops, 0, cityHash64(isp, part, line % 3) % 400)), NULL)`,
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
  },
  measured: {},
})
