import { sql } from '../../src/base/sql.ts'
import { chance, oneOf } from '../chance.ts'
import type { Columns } from '../select.ts'
import { addressOf } from './servers.ts'

const videos = ['broadgauge01', 'broadgauge02', 'broadgauge03', 'broadgauge04', 'broadgauge05', 'broadgauge06']

/** Fixed and mobile agents store the same row, made from `streamingSteps`. */
export const youtubeAlways: Columns = {
  target: sql`'www.youtube.example.com'`,
  address: addressOf(sql`60 + isp`, sql`has_ipv6`),
  video_id: oneOf(videos, 'video'),
  error: sql`nullIf(trouble, '')`,
  successes: sql`NOT is_failed`,
  failures: sql`is_failed`,
}

export const youtubeMeasured: Columns = {
  bitrate: sql`quality`,
  stall_events: sql`stalls`,
  stall_duration_avg: sql`stall`,
  stall_duration_total: sql`stalls * stall`,
  web_connect_time: sql`connect`,
  video_connect_time: sql`connect * (0.9 + 0.2 * ${chance('video connect')})`,
  audio_connect_time: sql`connect * (0.9 + 0.2 * ${chance('audio connect')})`,
  startup_delay: sql`buffering + 2 * connect + 80000`,
  prebuffering_duration: sql`buffering`,
  video_download_bytes_sec: sql`usable`,
  audio_download_bytes_sec: sql`least(usable, 600000) * (0.8 + 0.2 * ${chance('audio')})`,
}
