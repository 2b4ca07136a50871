import { sql, type Sql } from '../../src/base/sql.ts'
import type { TestDefinition } from '../../src/catalog/define-test.ts'
import { is } from '../agents.ts'
import { chance, logNormal, normal } from '../chance.ts'
import { defineSynthesis, type Synthesis } from '../define-synthesis.ts'
import { roundTripTo } from '../networks.ts'
import type { Columns } from '../select.ts'
import { addressOf, hostOfIsp, testServer, toServer } from './servers.ts'

export type Direction = 'down' | 'up'
const levels = { down: sql`level`, up: sql`level_up` }
const advertised = { down: sql`advertised_down`, up: sql`advertised_up` }

/** The speed of a line on this day, in an hour without load. */
export const usualSpeed = (direction: Direction): Sql =>
  sql`${advertised[direction]} * attained * least(headroom, ${levels[direction]})`

/** The speed of a line at the time of a test. The network limits a line of fibre or cable to a constant speed. */
export const throughput = (direction: Direction): Sql =>
  sql`${advertised[direction]} * attained * least(headroom * (1 - 0.003 * ${chance('shaper')}), ${levels[direction]}
    * (1 - least(0.9, ${direction === 'up' ? sql`0.5 * ` : sql``}evening_dip * busy)) * greatest(0.3, 1 + noise * ${normal('throughput')}))`

/**
 * The stored time, bytes and speed of a transfer. Two kinds of implausible result (`oddity`) change them: 1, the transfer was
 * cut off, seldom before its first byte; 2, a time server set the agent's clock back during the transfer, by 10 milliseconds to
 * a day. If the agent then finds less than two seconds, it restarts its timer, and stores some microseconds.
 */
export const cutOff = (speed: Sql): Columns => ({
  clock_back: sql`10000 * exp(16 * ${chance('clock back')})`,
  stored_time: sql`multiIf(oddity = 1, 2000 + duration * ${chance('cut off')},
    oddity = 2 AND clock_back > duration - 2000000, 20 + 180 * ${chance('timer')}, oddity = 2, duration - clock_back, duration)`,
  stored_bytes: sql`${speed} / 1000000 * if(oddity = 1, greatest(0, stored_time - 1000000), duration)`,
  stored_speed: sql`1000000 * stored_bytes / stored_time`,
})

/** Download and upload differ only in the direction. */
export function transfer(test: TestDefinition, afterSeconds: number, direction: Direction): Synthesis {
  return defineSynthesis({
    test,
    afterSeconds,
    // Each run has two results: the first with several connections, the second with one.
    turns: 2,
    heavily: true,
    steps: {
      ...toServer,
      is_on_net: sql`${chance('on-net')} < 0.3`,
      is_ipv6: sql`has_ipv6 AND ${chance('ip version')} < 0.5`,
      thread_count: sql`multiIf(turn % 2 = 1, 1, ${is('web')}, 6, 8)`,
      // The TCP window limits the speed of a single connection. The limit is lower for a longer round trip.
      transfer_rtt: sql`if(is_on_net, ${roundTripTo(sql`hub`)}, server_rtt)`,
      one_thread: sql`1700000 * 1000000 / (transfer_rtt + 4000) * ${logNormal(sql`0.25`, 'window')}`,
      // A port of 1 Gbit/s carries 941 Mbit/s of TCP. One connection uses less of a line, most on a line with much loss.
      speed: sql`least(if(thread_count > 1, 1e9, one_thread), 117650000 * (1 - 0.002 * ${logNormal(sql`0.9`, 'port')}), ${throughput(direction)})
        * if(thread_count > 1, 1, 1 - least(0.5, (0.02 + 12 * line_loss) * ${logNormal(sql`0.5`, 'one connection')}))`,
      duration: sql`if(${is('web')}, 8000000, 10000000) + 900 * ${logNormal(sql`1.7`, 'duration')}`,
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
      bytes_sec_interval: sql`stored_speed * (1 + 0.0008 * ${chance('interval')} - 0.5 * noise * abs(${normal('interval')}))`,
      warmup_time: sql`multiIf(oddity = 3, 0, oddity = 4, NULL, warmup)`,
      warmup_bytes: sql`least(0.97, 0.6 * ${logNormal(sql`0.3`, 'ramp')}) * speed * warmup / 1000000`,
      // The number of retransmitted segments. A segment has 1,448 bytes.
      tcp_retransmissions: sql`speed / 145 * (0.00008 + 0.2 * line_loss + 0.0015 * busy * evening_dip)
        * ${logNormal(sql`1`, 'retransmissions')}`,
    },
  })
}
