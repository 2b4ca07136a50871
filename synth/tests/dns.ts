import { sql } from '../../src/base/sql.ts'
import dns from '../../src/catalog/tests/dns.ts'
import { chance, logNormal, oneOf } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { hostOfIsp } from './servers.ts'

const hosts = ['www.example.com', 'www.example.org', 'video.example.net', 'shop.example.com', 'mail.example.org']

export default defineSynthesis({
  test: dns,
  steps: {
    is_public: sql`${chance('public resolver')} < 0.2`,
    // What the resolver has not got in its cache it has to ask for.
    is_cached: sql`${chance('cached')} < 0.88`,
    answer_time: sql`(line_rtt + if(is_public, 6000, 0)) * (1 + 0.3 * busy * evening_dip) * ${logNormal(sql`0.12`, 'rtt')}
      + 600 + if(is_cached, 0, 35000 * ${logNormal(sql`0.7`, 'recursion')})`,
  },
  always: {
    nameserver: sql`if(is_public, 'resolver.example.net', ${hostOfIsp(sql`if(line % 2 = 0, 'ns1', 'ns2')`)})`,
    lookup_host: oneOf(hosts, 'host'),
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
  },
  measured: {
    response_ip: sql`concat('198.51.100.', toString(1 + draw % 40))`,
    rtt: sql`multiIf(oddity = 1, 0, oddity = 2, -answer_time, oddity > 2, 11000000 + answer_time, answer_time)`,
  },
})
