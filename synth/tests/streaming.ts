import { bind, sql, type Sql } from '../../src/base/sql.ts'
import { chance, logNormal } from '../chance.ts'
import type { Columns } from '../select.ts'

/** Players choose among fixed qualities; in kbit/s. */
const netflixLadder = [235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800, 8000, 15_600]
const youtubeLadder = [120, 280, 550, 1100, 2500, 4400, 8000, 18_000]
export const ladders = { netflix: netflixLadder, youtube: youtubeLadder }

/**
 * How a video plays over a line of a speed (bytes/s): the highest quality it carries with a margin, and now and then a
 * stall where the margin is thin. Startup is connecting and filling the buffer.
 */
export const streamingSteps = (ladder: readonly number[], speed: Sql, rtt: Sql): Columns => ({
  stream_speed: speed,
  stream_rtt: rtt,
  // From a server's cache nobody gets more than its share.
  usable: sql`least(stream_speed, 12000000 * ${logNormal(sql`0.2`, 'cache')})`,
  steps_of_quality: sql`arrayMap(kbps -> kbps * 125, ${bind('Array(UInt32)', ladder)})`,
  quality: sql`greatest(arrayLast(step -> step < 0.7 * usable, steps_of_quality), steps_of_quality[1])`,
  thin_margin: sql`greatest(0, quality / usable - 0.4)`,
  stalls: sql`if(${chance('stall')} < 0.004 + 0.15 * thin_margin, 1 + toUInt8(3 * ${chance('stalls')}), 0)`,
  stall: sql`if(stalls = 0, 0, 700000 * ${logNormal(sql`0.8`, 'stall length')})`,
  connect: sql`stream_rtt * (1 + 0.2 * ${chance('connect')})`,
  // Two seconds of video, and a decoder to warm up.
  fill_time: sql`least(9500000, 2000000 * quality / usable + 8 * stream_rtt + 150000)`,
  buffering: sql`if(oddity = 2, 15000000, fill_time) * ${logNormal(sql`0.1`, 'buffering')}`,
  trouble: sql`multiIf(is_failed, 'connect_failed', oddity IN (1, 3), 'decode', stalls > 1, 'stall', '')`,
})
