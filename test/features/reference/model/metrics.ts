import type { Result } from './facts.ts'

type Row = Result['row']

/** A ratio metric is 100 · `part` / `whole`. */
type Ratio = { part: number | null; whole: number | null }

export type Metric = {
  test: string
  aggregatedOnly?: true
  /** The first hour of each block of the test's schedule. */
  blocks: readonly number[]
  /** The speed of a package to which values can be relative. */
  plan?: 'download' | 'upload'
} & ({ value: (row: Row) => number | null } | { ratio: (row: Row) => Ratio })

export const numberIn = (row: Row, column: string): number | null => {
  const cell = row[column]
  return typeof cell === 'number' ? cell : null
}

const speedBlocks = [0, 6, 12, 18, 20, 22]
const hourlyBlocks = Array.from({ length: 24 }, (_, hour) => hour)

const column =
  (name: string, convert: (stored: number) => number = (stored) => stored) =>
  (row: Row): number | null => {
    const stored = numberIn(row, name)
    return stored === null ? null : convert(stored)
  }

const difference =
  (total: string, part: string, convert: (stored: number) => number) =>
  (row: Row): number | null => {
    const [from, taken] = [numberIn(row, total), numberIn(row, part)]
    return from === null || taken === null ? null : convert(from - taken)
  }

const mbps = (bytesPerSecond: number): number => (bytesPerSecond * 8) / 1e6
const milliseconds = (microseconds: number): number => microseconds / 1e3
const seconds = (microseconds: number): number => microseconds / 1e6
const megabytes = (bytes: number): number => bytes / 1e6

const hourly = (test: string, value: (row: Row) => number | null): Metric => ({ test, blocks: hourlyBlocks, value })
const speed = (test: string, value: (row: Row) => number | null): Metric => ({ test, blocks: speedBlocks, value })
const download = (metric: Metric): Metric => ({ ...metric, plan: 'download' })
const upload = (metric: Metric): Metric => ({ ...metric, plan: 'upload' })

const failures = (test: string): Metric => ({
  test,
  blocks: hourlyBlocks,
  ratio: (row) => {
    const [lost, answered] = [numberIn(row, 'failures'), numberIn(row, 'successes')]
    return { part: lost, whole: lost === null || answered === null ? null : answered + lost }
  },
})

const lostPackets = (row: Row): Ratio => {
  const [sent, received] = [numberIn(row, 'packets_sent'), numberIn(row, 'packets_received')]
  return { part: sent === null || received === null ? null : sent - received, whole: sent }
}

/** Only results whose number of connections fits have a speed. */
const speedOver =
  (fits: (threads: number) => boolean) =>
  (row: Row): number | null => {
    const threads = numberIn(row, 'threads')
    return threads !== null && fits(threads) ? column('bytes_sec', mbps)(row) : null
  }
const single = speedOver((threads) => threads === 1)
const multi = speedOver((threads) => threads > 1)

/** The number of the hop that reached the target, which is the length of the path. Null for other hops. */
const lastHop = (row: Row): number | null =>
  row['hop_address'] !== null && row['hop_address'] === row['address'] ? numberIn(row, 'hop') : null

export const metrics: Readonly<Record<string, Metric>> = {
  httpget: download(speed('httpget', column('bytes_sec', mbps))),
  httpget_single: download(speed('httpget', single)),
  httpget_multi: download(speed('httpget', multi)),
  httppost: upload(speed('httppost', column('bytes_sec', mbps))),
  httppost_single: upload(speed('httppost', single)),
  httppost_multi: upload(speed('httppost', multi)),
  httpget_retrans: speed('httpget', column('tcp_retransmissions')),
  httppost_retrans: speed('httppost', column('tcp_retransmissions')),
  latency: hourly('latency', column('rtt_avg', milliseconds)),
  packetLoss: failures('latency'),
  ping: hourly('ping', column('rtt_avg', milliseconds)),
  pingLoss: failures('ping'),
  jitterUp: hourly('jitter', column('jitter_up', milliseconds)),
  jitterDown: hourly('jitter', column('jitter_down', milliseconds)),
  dnsResponse: hourly('dns', column('rtt', milliseconds)),
  dnsFail: { ...failures('dns'), aggregatedOnly: true },
  webgetAvg: hourly('webget', column('fetch_time', seconds)),
  webgetTtfb: hourly('webget', column('ttfb_avg', milliseconds)),
  webgetFail: { ...failures('webget'), aggregatedOnly: true },
  netflixBitrate: hourly('netflix', column('bitrate', mbps)),
  netflixStartup: hourly('netflix', column('prebuffering_duration', seconds)),
  netflixStalls: hourly('netflix', column('stall_events')),
  youtubeBitrate: hourly('youtube', column('bitrate', mbps)),
  youtubeStartup: hourly('youtube', column('startup_delay', seconds)),
  youtubeStalls: hourly('youtube', column('stall_events')),
  wanDown: hourly('network_usage', difference('wan_rx_bytes', 'sk_rx_bytes', megabytes)),
  wanUp: hourly('network_usage', difference('wan_tx_bytes', 'sk_tx_bytes', megabytes)),
  tracerouteHops: hourly('traceroute', lastHop),
  mobileDownload: download(hourly('mobile_download', column('bytes_sec', mbps))),
  mobileUpload: upload(hourly('mobile_upload', column('bytes_sec', mbps))),
  mobileLatency: hourly('mobile_latency', column('rtt_avg', milliseconds)),
  mobileJitter: hourly('mobile_latency', column('jitter', milliseconds)),
  mobilePacketLoss: { test: 'mobile_latency', blocks: hourlyBlocks, ratio: lostPackets },
  mobilePageLoad: hourly('mobile_www', column('fetch_time', seconds)),
  mobileYoutubeStartup: hourly('mobile_youtube', column('startup_delay', seconds)),
}
