import { bind, sql } from '../../src/base/sql.ts'
import { logNormal } from '../chance.ts'
import type { Columns } from '../select.ts'
import { addressOf } from './servers.ts'
import { videos } from './streaming.ts'

/** The columns that the tests `youtube` and `mobile_youtube` have in common, built from `streamingSteps`. */
export const youtubeAlways: Columns = {
  target: sql`'www.youtube.example.com'`,
  address: addressOf(sql`60 + isp`, sql`has_ipv6`),
  video_id: sql`${bind('Array(String)', videos)}[youtube_title]`,
  error: sql`nullIf(trouble, '')`,
  successes: sql`NOT is_failed`,
  failures: sql`is_failed`,
}

export const youtubeMeasured: Columns = {
  bitrate: sql`youtube_bitrate`,
  stall_events: sql`stalls`,
  stall_duration_avg: sql`stall`,
  stall_duration_total: sql`stalls * stall`,
  web_connect_time: sql`connect`,
  video_connect_time: sql`video_connect`,
  audio_connect_time: sql`audio_connect`,
  startup_delay: sql`buffering + connect + greatest(video_connect, audio_connect) + 80000 * ${logNormal(sql`0.4`, 'startup')}`,
  prebuffering_duration: sql`buffering`,
  video_download_bytes_sec: sql`usable`,
  audio_download_bytes_sec: sql`least(usable, 1500000) * ${logNormal(sql`0.35`, 'audio')}`,
}
