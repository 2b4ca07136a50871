import { bind, sql, type Sql } from '../../src/base/sql.ts'
import { chance, chanceBelow, logNormal } from '../chance.ts'
import type { Columns } from '../select.ts'

/** The bitrates, in kbit/s, from which a player chooses. */
const netflixLadder = [235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800, 8000, 15_600]
const youtubeLadder = [120, 280, 550, 1100, 2500, 4400, 8000, 18_000]

/** A video service: its bitrates and the number of its titles. */
type Player = { readonly ladder: readonly number[]; readonly titles: number }

export const videos = ['broadgauge01', 'broadgauge02', 'broadgauge03', 'broadgauge04', 'broadgauge05', 'broadgauge06']
export const players = {
  netflix: { ladder: netflixLadder, titles: 40 },
  youtube: { ladder: youtubeLadder, titles: videos.length },
}

/**
 * The columns of a video that plays at a speed (bytes/s). The player chooses the highest bitrate that is below the speed by a
 * margin. If the margin is small, the video sometimes stalls. The startup time consists of connecting and filling the buffer.
 */
export const streamingSteps = ({ ladder, titles }: Player, speed: Sql, rtt: Sql): Columns => ({
  stream_speed: speed,
  stream_rtt: rtt,
  // The cache server limits the speed per player.
  usable: sql`least(stream_speed, 22000000 * ${logNormal(sql`0.5`, 'cache')})`,
  steps_of_quality: sql`arrayMap(kbps -> kbps * 125, ${bind('Array(UInt32)', ladder)})`,
  // A television shows the highest bitrates, a tablet or an old set-top box only high definition.
  device_limit: sql`if(${chance('screen', sql`line`)} < 0.45, 99, if(${chance('screen', sql`line`)} < 0.85, 0.6, 0.3)) * steps_of_quality[-1]`,
  quality: sql`greatest(arrayLast(step -> step < 0.7 * usable AND step <= device_limit, steps_of_quality), steps_of_quality[1])`,
  title: sql`1 + ${chanceBelow(sql`${bind('UInt8', titles)}`, 'title')}`,
  // The bitrate depends on the title: a cartoon needs less than a football match.
  encoded: sql`quality * ${logNormal(sql`0.2`, 'encoding', sql`cityHash64(title, quality)`)}`,
  thin_margin: sql`greatest(0, quality / usable - 0.4)`,
  stalls: sql`if(${chance('stall')} < 0.0015 + 0.3 * thin_margin, 1 + toUInt8(3 * ${chance('stalls')}), 0)`,
  stall: sql`if(stalls = 0, 0, 700000 * ${logNormal(sql`0.8`, 'stall length')})`,
  connect: sql`stream_rtt * (1 + 0.2 * ${chance('connect')})`,
  // The buffer holds two seconds of video; starting the decoder takes time too.
  fill_time: sql`least(9500000, 2000000 * quality / usable + 8 * stream_rtt + 150000)`,
  buffering: sql`if(oddity = 2, 11000000 + 8000000 * ${chance('slow start')}, fill_time) * ${logNormal(sql`0.1`, 'buffering')}`,
  trouble: sql`multiIf(is_failed, 'connect_failed', oddity IN (1, 3), 'decode', stalls > 1, 'stall', '')`,
})
