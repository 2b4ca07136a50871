import { sql } from '../../src/base/sql.ts'
import dns from '../../src/catalog/tests/dns.ts'
import { chance, chanceBelow, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { numberOf, textOf } from '../lists.ts'
import { ofNetwork, roundTripTo } from '../networks.ts'
import { hostOfIsp } from './servers.ts'

/** Host names, each with the time in which its authoritative name servers answer. */
const hosts = [
  { name: 'www.example.com', authorityMs: 18 },
  { name: 'www.example.org', authorityMs: 90 },
  { name: 'video.example.net', authorityMs: 25 },
  { name: 'shop.example.com', authorityMs: 40 },
  { name: 'mail.example.org', authorityMs: 60 },
]

export default defineSynthesis({
  test: dns,
  afterSeconds: 0,
  failures: {
    rate: 0.001,
    // Most customers use the resolvers of their ISP, which sometimes fail for a few hours.
    besides: sql`provider_fate % toUInt32(45 / ${ofNetwork(({ failures }) => failures)}) = 1
      AND ${chance('resolver fails')} < provider_left`,
  },
  steps: {
    host: sql`1 + ${chanceBelow(sql`5`, 'host')}`,
    is_public: sql`${chance('public resolver')} < 0.2`,
    // If the answer is not in its cache, the resolver asks the authoritative name servers.
    is_cached: sql`${chance('cached')} < if(is_public, 0.95, ${ofNetwork(({ cached }) => cached)})`,
    // The ISP's resolvers are at its hub. The public resolver is at every site.
    resolver_rtt: roundTripTo(sql`if(is_public, near, hub)`),
    answer_time: sql`resolver_rtt * (1 + 0.3 * busy * evening_dip) + 1000 * if(is_public, 0.8, ${ofNetwork(({ resolverMs }) => resolverMs)}) * ${logNormal(sql`0.6`, 'rtt')} + if(is_cached, 0, 1000 * ${numberOf(hosts, ({ authorityMs }) => authorityMs, sql`host`)} * ${logNormal(sql`0.6`, 'recursion')})`,
  },
  always: {
    nameserver: sql`if(is_public, 'resolver.example.net', ${hostOfIsp(sql`if(line % 2 = 0, 'ns1', 'ns2')`)})`,
    lookup_host: textOf(hosts, ({ name }) => name, sql`host`),
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
  },
  measured: {
    // A resolver returns one of two addresses of a name. The addresses belong to a host near the resolver.
    response_ip: sql`concat('198.51.100.', toString(16 * host + (2 * if(is_public, near, isp) + draw % 2) % 16))`,
    // If a packet is lost, the agent asks again after five seconds. Implausible results: the clock was set back or forward during
    // the lookup, or the agent asked three times or more. A clock that is set back hides the whole lookup: otherwise a few
    // results would be positive and shorter than light in fibre needs.
    rtt: sql`multiIf(oddity = 1, 0, oddity = 2, -clock_step, oddity = 3, answer_time + clock_step,
      answer_time + 5000000 * if(oddity = 4, 2 + (draw % 3 = 0), ${chance('packet lost')} < 0.0006 + 0.4 * line_loss * (1 + 4 * busy * evening_dip)))`,
  },
})
