import { sql, type Sql } from '../../src/base/sql.ts'
import type { TestDefinition } from '../../src/catalog/define-test.ts'
import { is } from '../agents.ts'
import { chance, logNormal, normal } from '../chance.ts'
import { defineSynthesis, type Synthesis } from '../define-synthesis.ts'
import { addressOf, hostOfIsp, server, testServer } from './servers.ts'

/** What a line carries at the moment, of what was sold. */
export const throughput = (advertised: Sql): Sql =>
  sql`${advertised} * attained * (1 - least(0.9, evening_dip * busy)) * greatest(0.3, 1 + noise * ${normal('throughput')})`

/** Download and upload differ in the direction only. */
export function transfer(test: TestDefinition, advertised: Sql): Synthesis {
  return defineSynthesis({
    test,
    // With several connections, then with one.
    turns: 2,
    heavily: true,
    steps: {
      server,
      is_on_net: sql`${chance('on-net')} < 0.3`,
      is_ipv6: sql`has_ipv6 AND ${chance('ip version')} < 0.5`,
      thread_count: sql`multiIf(turn % turns = 1, 1, ${is('web')}, 6, 8)`,
      // One connection alone is held back by its window, the more the longer the way.
      one_thread: sql`4000000 * 1000000 / (line_rtt + 4000) * ${logNormal(sql`0.2`, 'window')}`,
      speed: sql`least(${throughput(advertised)} * if(is_on_net, 1.01, 1), if(thread_count = 1, one_thread, 1.24e9))
        * if(thread_count = 1, 0.95, 1)`,
      duration: sql`if(${is('web')}, 8000000, 10000000) + 30000 * ${chance('duration')}`,
      warmup: sql`2000000 + 2500000 * ${chance('warmup')}`,
      // Impossible in the ways the prefilter looks for: nothing or less, more than 10 Gbit/s, no warm-up.
      stored_speed: sql`multiIf(oddity = 1, -speed, oddity = 2, 1.3e9 + 4 * speed, speed)`,
    },
    always: {
      target: sql`if(is_on_net, ${hostOfIsp(sql`'speed'`)}, ${testServer})`,
      sequence: sql`10`,
      threads: sql`thread_count`,
      successes: sql`NOT is_failed`,
      failures: sql`is_failed`,
      ip_version: sql`if(is_ipv6, 6, 4)`,
      target_group: sql`if(is_on_net, 'on-net', 'off-net')`,
      address: addressOf(sql`10 * isp + server`, sql`is_ipv6`),
    },
    measured: {
      fetch_time: sql`duration`,
      bytes_total: sql`stored_speed * duration / 1000000`,
      bytes_sec: sql`stored_speed`,
      bytes_sec_interval: sql`stored_speed * (1 + 0.02 * ${normal('interval')})`,
      warmup_time: sql`multiIf(oddity = 3, 0, oddity = 4, NULL, warmup)`,
      warmup_bytes: sql`0.6 * speed * warmup / 1000000`,
      tcp_retransmissions: sql`speed / 200000 * (0.02 + line_loss * 3 + 0.1 * busy * evening_dip)
        * ${logNormal(sql`0.9`, 'retransmissions')}`,
    },
  })
}
