import { around, oddly } from './chances.ts'
import type { Occasion, Row } from './rows.ts'

/** The columns of one test that no metric reads yet. The numbers are the middle of their values, see `around`. */
type Middles = Readonly<Record<string, number>>

const page: Middles = { bytes_total: 2_000_000, bytes_sec: 1_500_000 }
const transfer: Middles = {
  fetch_time: 5_000_000,
  bytes_total: 40_000_000,
  bytes_sec_interval: 8_000_000,
  warmup_bytes: 500_000,
}
const mobileTransfer: Middles = { transfer_time: 5_000_000, transfer_bytes: 20_000_000, warmup_bytes: 300_000 }
const video: Middles = {
  stall_duration_avg: 400_000,
  stall_duration_total: 800_000,
  web_connect_time: 30_000,
  video_connect_time: 20_000,
  audio_connect_time: 20_000,
  video_download_bytes_sec: 900_000,
  audio_download_bytes_sec: 16_000,
}

const unused: Readonly<Record<string, Middles>> = {
  httpget: transfer,
  httppost: transfer,
  netflix: {
    max_bitrate: 600_000,
    stall_duration_total: 800_000,
    connect_time: 20_000,
    download_duration: 20_000_000,
    bytes_sec: 900_000,
  },
  jitter: {
    stream_rate: 64_000,
    duration: 10_000_000,
    packets_down_sent: 500,
    packets_up_recv: 490,
    packets_down_recv: 490,
    latency: 20_000,
  },
  webget: {
    ...page,
    objects: 30,
    requests: 40,
    connections: 12,
    reused_connections: 20,
    lookups: 8,
    request_total_time: 2_000_000,
    request_min_time: 5_000,
    request_avg_time: 50_000,
    request_max_time: 400_000,
    ttfb_total: 900_000,
    ttfb_min: 4_000,
    ttfb_max: 200_000,
    lookup_total_time: 80_000,
    lookup_min_time: 2_000,
    lookup_avg_time: 10_000,
    lookup_max_time: 40_000,
  },
  youtube: video,
  traceroute: { sent: 3, received: 3, rtt_avg: 8_000 },
  mobile_download: mobileTransfer,
  mobile_upload: mobileTransfer,
  mobile_www: page,
  mobile_youtube: video,
}

/**
 * Values for the whole-number columns that no metric reads yet, so that a new metric has values to compare. The values
 * come from dice of their own: the columns that metrics read stay the same when a column is added or removed here. The later
 * columns of the same test in this list get other values.
 */
export function unusedColumns(test: string, { dice, agent, endedAt }: Occasion, rowIndex: number): Row {
  const own = dice.fork(endedAt + 31 * (agent.unit ?? 0) + rowIndex)
  const middles = Object.entries(unused[test] ?? {})
  return Object.fromEntries(middles.map(([column, middle]) => [column, oddly(own, 5, [null, 0], around(own, middle))]))
}
