import { bind, identifier, numberLiteral, sql, type Sql } from '../../src/base/sql.ts'
import { chance, chanceBelow, logNormal } from '../chance.ts'
import type { Columns } from '../select.ts'

/** The bitrates, in kbit/s, from which a player chooses. */
const netflixLadder = [235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800, 8000, 15_600]
const youtubeLadder = [120, 280, 550, 1100, 2500, 4400, 8000, 18_000]

/** A video service: its bitrates and the number of its titles. */
type Player = { readonly name: string; readonly ladder: readonly number[]; readonly titles: number }

export const videos = ['broadgauge01', 'broadgauge02', 'broadgauge03', 'broadgauge04', 'broadgauge05', 'broadgauge06']
export const players = {
  netflix: { name: 'netflix', ladder: netflixLadder, titles: 40 },
  youtube: { name: 'youtube', ladder: youtubeLadder, titles: videos.length },
}

/** Seconds of video that a test downloads. */
export const secondsOfVideo = sql`10`

/**
 * The video that an agent plays in this hour, and its bitrate in bytes per second. The player chooses the highest bitrate that is
 * below the usual speed by a margin.
 */
export function videoSteps({ name, ladder, titles }: Player, speed: Sql): Columns {
  const [quality, title] = [identifier(`${name}_quality`), identifier(`${name}_title`)]
  const bytes = ladder.map((kbps) => kbps * 125)
  // A television shows the highest bitrates, a tablet or an old set-top box only high definition.
  const screen = chance('screen', sql`line`)
  const best = sql`${bind('Float64', bytes.at(-1))} * if(${screen} < 0.45, 1, if(${screen} < 0.85, 0.6, 0.3))`
  return {
    [`${name}_quality`]: sql`roundDown(least(0.65 * ${speed}, ${best}), ${bind('Array(Float64)', bytes)})`,
    [`${name}_title`]: sql`1 + ${chanceBelow(sql`${numberLiteral(titles)}`, `title of ${name}`, sql`line + hour_number`)}`,
    // The bitrate depends on the title: a cartoon needs less than a football match.
    [`${name}_bitrate`]: sql`${quality} * ${logNormal(sql`0.2`, 'encoding', sql`toUInt64(${quality}) * 64 + ${title}`)}`,
  }
}

/** The time to open a connection. If its first packet or the answer is lost, the operating system sends it again after a second. */
const connectTime = (purpose: string): Sql =>
  sql`stream_rtt + floor_time * (0.5 + ${logNormal(sql`0.4`, purpose)}) + 1000000 * (${chance(`${purpose} lost`)} < 0.0005 + line_loss)`

/**
 * The columns of a video that plays at a speed (bytes/s). If the margin is small, the video sometimes stalls. The startup time
 * consists of connecting and filling the buffer.
 */
export function streamingSteps(player: Player, { speed, usual, rtt }: { speed: Sql; usual: Sql; rtt: Sql }): Columns {
  const quality = identifier(`${player.name}_quality`)
  return {
    ...videoSteps(player, usual),
    stream_rtt: rtt,
    // The cache server limits the speed per player.
    usable: sql`least(${speed}, 22000000 * ${logNormal(sql`0.5`, 'cache')})`,
    stalls: sql`if(${chance('stall')} < 0.0004 + 0.6 * greatest(0, ${quality} / usable - 0.7), 1 + toUInt8(3 * ${chance('stalls')}), 0)`,
    stall: sql`if(stalls = 0, 0, 700000 * ${logNormal(sql`0.8`, 'stall length')})`,
    connect: connectTime('connect'),
    video_connect: connectTime('video connect'),
    audio_connect: connectTime('audio connect'),
    // The buffer holds two seconds of video; starting the decoder takes time too.
    fill_time: sql`least(9500000, 2000000 * ${quality} / usable + 8 * stream_rtt + 150000)`,
    buffering: sql`fill_time * ${logNormal(sql`0.1`, 'buffering')} * if(oddity = 2, exp(4 * ${chance('slow start')}), 1)`,
    trouble: sql`multiIf(is_failed, 'connect_failed', oddity IN (1, 3), 'decode', stalls > 1, 'stall', '')`,
  }
}
