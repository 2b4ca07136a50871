import { sql, type Sql } from '../../src/base/sql.ts'
import type { TestDefinition } from '../../src/catalog/define-test.ts'
import { is } from '../agents.ts'
import { chance, logNormal, normal } from '../chance.ts'
import { defineSynthesis, type Synthesis } from '../define-synthesis.ts'
import { roundTripTo } from '../networks.ts'
import type { Columns } from '../select.ts'
import { addressOf, hostOfIsp, testServer, toServer } from './servers.ts'

/** The speed of a line at the time of a test. */
export const throughput = (advertised: Sql): Sql =>
  sql`${advertised} * least(speed_limit, attained * level) * (1 - least(0.9, evening_dip * busy)) * greatest(0.3, 1 + noise * ${normal('throughput')})`

/**
 * The stored time, bytes and speed of a transfer. Two kinds of implausible result (`oddity`) change them: 1, the transfer was
 * cut off before its first byte; 2, the agent's clock was set back during the transfer, so the stored time is too short.
 */
export const cutOff = (speed: Sql): Columns => ({
  stored_time: sql`multiIf(oddity = 1, 2000 + 400000 * pow(${chance('cut off')}, 2),
    oddity = 2, duration * ${speed} / (1.26e9 * (1 + 6 * pow(${chance('too fast')}, 3))), duration)`,
  stored_bytes: sql`if(oddity = 1, 0, ${speed} * duration / 1000000)`,
  stored_speed: sql`1000000 * stored_bytes / stored_time`,
})

/** Download and upload differ only in the advertised speed. */
export function transfer(test: TestDefinition, advertised: Sql): Synthesis {
  return defineSynthesis({
    test,
    // Each run has two results: the first with several connections, the second with one.
    turns: 2,
    heavily: true,
    steps: {
      ...toServer,
      is_on_net: sql`${chance('on-net')} < 0.3`,
      is_ipv6: sql`has_ipv6 AND ${chance('ip version')} < 0.5`,
      thread_count: sql`multiIf(turn % turns = 1, 1, ${is('web')}, 6, 8)`,
      // The TCP window limits the speed of a single connection. The limit is lower for a longer round trip.
      transfer_rtt: sql`if(is_on_net, ${roundTripTo(sql`hub`)}, server_rtt)`,
      one_thread: sql`4000000 * 1000000 / (transfer_rtt + 4000) * ${logNormal(sql`0.2`, 'window')}`,
      // A port of 1 Gbit/s carries 941 Mbit/s of TCP.
      speed: sql`least(117600000 * (1 - 0.004 * ${chance('port')}), ${throughput(advertised)} * if(is_on_net, 1.01, 1),
        if(thread_count = 1, one_thread, 1e9)) * if(thread_count = 1, 0.96, 1)`,
      duration: sql`if(${is('web')}, 8000000, 10000000) + 900 * ${logNormal(sql`0.9`, 'duration')}`,
      // Time until the speed is stable. It grows with the round-trip time and with the speed.
      warmup: sql`(400000 + transfer_rtt * (20 + 4 * log2(1 + speed / 100000))) * ${logNormal(sql`0.3`, 'warmup')}`,
      ...cutOff(sql`speed`),
    },
    always: {
      target: sql`if(is_on_net, ${hostOfIsp(sql`'speed'`)}, ${testServer})`,
      sequence: sql`10`,
      threads: sql`thread_count`,
      successes: sql`NOT is_failed`,
      failures: sql`is_failed`,
      ip_version: sql`if(is_ipv6, 6, 4)`,
      target_group: sql`if(is_on_net, 'on-net', 'off-net')`,
      address: addressOf(sql`if(is_on_net, 40 + isp, server)`, sql`is_ipv6`),
    },
    measured: {
      fetch_time: sql`stored_time`,
      bytes_total: sql`stored_bytes`,
      bytes_sec: sql`stored_speed`,
      bytes_sec_interval: sql`stored_speed * (1 + 0.02 * ${normal('interval')})`,
      warmup_time: sql`multiIf(oddity = 3, 0, oddity = 4, NULL, warmup)`,
      warmup_bytes: sql`(0.85 - 0.5 * pow(${chance('ramp')}, 2)) * speed * warmup / 1000000`,
      // The number of retransmitted segments. A segment has 1,448 bytes.
      tcp_retransmissions: sql`speed / 145 * (0.00008 + 0.2 * line_loss + 0.0015 * busy * evening_dip)
        * ${logNormal(sql`1`, 'retransmissions')}`,
    },
  })
}
