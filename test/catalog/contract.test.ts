import { expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'

/**
 * This list is a separate copy of the names in the catalogue. The check fails if a change renames or drops a test, a
 * metric or a column, or reorders columns. A new column of a listed test must be added here in its position. New tests
 * and metrics pass without a line here, but only a line protects them from later changes.
 */
const mobile =
  'model manufacturer operating_system_version carrier_name connection_type cellular_technology geo_country mobile_country_code mobile_network_code app_version'

const columns: Record<string, string> = {
  httpget:
    'target address fetch_time bytes_total bytes_sec bytes_sec_interval warmup_time warmup_bytes sequence threads tcp_retransmissions successes failures ip_version target_group',
  httppost:
    'target address fetch_time bytes_total bytes_sec bytes_sec_interval warmup_time warmup_bytes sequence threads tcp_retransmissions successes failures ip_version target_group',
  dns: 'nameserver lookup_host response_ip rtt successes failures',
  ping: 'target rtt_avg rtt_min rtt_max rtt_std successes failures',
  latency: 'target address rtt_avg rtt_min rtt_max rtt_std successes failures',
  jitter:
    'target packet_size stream_rate duration packets_up_sent packets_down_sent packets_up_recv packets_down_recv jitter_up jitter_down latency successes failures',
  webget:
    'target address fetch_time bytes_total bytes_sec objects threads requests connections reused_connections lookups request_total_time request_min_time request_avg_time request_max_time ttfb_total ttfb_min ttfb_avg ttfb_max lookup_total_time lookup_min_time lookup_avg_time lookup_max_time successes failures',
  netflix:
    'target address bitrate max_bitrate stall_events stall_duration_total connect_time download_duration prebuffering_duration bytes_sec error error_msg successes failures',
  youtube:
    'target address video_id bitrate stall_events stall_duration_avg stall_duration_total web_connect_time video_connect_time audio_connect_time startup_delay prebuffering_duration video_download_bytes_sec audio_download_bytes_sec error successes failures',
  traceroute: 'target address protocol hop hop_address hop_name sent received rtt_avg successes failures',
  network_usage: 'wan_rx_bytes wan_tx_bytes sk_rx_bytes sk_tx_bytes',
  mobile_download: `target address transfer_time transfer_bytes bytes_sec warmup_time warmup_bytes threads successes failures ${mobile}`,
  mobile_upload: `target address transfer_time transfer_bytes bytes_sec warmup_time warmup_bytes threads successes failures ${mobile}`,
  mobile_latency: `target address rtt_avg rtt_min rtt_max rtt_std jitter packets_sent packets_received successes failures ${mobile}`,
  mobile_www: `target fetch_time bytes_total bytes_sec successes failures ${mobile}`,
  mobile_youtube: `target address video_id bitrate stall_events stall_duration_avg stall_duration_total web_connect_time video_connect_time audio_connect_time startup_delay prebuffering_duration video_download_bytes_sec audio_download_bytes_sec error successes failures ${mobile}`,
}

const units: Record<string, string> = {
  httpget: 'mbps of httpget',
  httpget_single: 'mbps of httpget',
  httpget_multi: 'mbps of httpget',
  httppost: 'mbps of httppost',
  httppost_single: 'mbps of httppost',
  httppost_multi: 'mbps of httppost',
  httpget_retrans: 'count of httpget',
  httppost_retrans: 'count of httppost',
  latency: 'ms of latency',
  packetLoss: '% of latency',
  ping: 'ms of ping',
  pingLoss: '% of ping',
  jitterUp: 'ms of jitter',
  jitterDown: 'ms of jitter',
  dnsResponse: 'ms of dns',
  dnsFail: '% of dns',
  webgetAvg: 's of webget',
  webgetTtfb: 'ms of webget',
  webgetFail: '% of webget',
  netflixBitrate: 'mbps of netflix',
  youtubeBitrate: 'mbps of youtube',
  netflixStartup: 's of netflix',
  youtubeStartup: 's of youtube',
  netflixStalls: 'count of netflix',
  youtubeStalls: 'count of youtube',
  wanDown: 'MB of network_usage',
  wanUp: 'MB of network_usage',
  tracerouteHops: 'count of traceroute',
  mobileDownload: 'mbps of mobile_download',
  mobileUpload: 'mbps of mobile_upload',
  mobileLatency: 'ms of mobile_latency',
  mobileJitter: 'ms of mobile_latency',
  mobilePacketLoss: '% of mobile_latency',
  mobilePageLoad: 's of mobile_www',
  mobileYoutubeStartup: 's of mobile_youtube',
}

it('has the tests and columns of the contract, in its order', () => {
  const own = catalog.tests.map(({ key, columns: all }) => [key, all.map(({ name }) => name).join(' ')] as const)
  expect(Object.fromEntries(own)).toMatchObject(columns)
})

it('has the metrics of the contract, with its units and tests', () => {
  const own = catalog.metrics.map(({ key, unit, test }) => [key, `${unit} of ${test}`] as const)
  expect(Object.fromEntries(own)).toMatchObject(units)
})

it('has the two metrics of the contract in aggregated form only', () => {
  const own = catalog.metrics.filter(({ aggregatedOnly }) => aggregatedOnly).map(({ key }) => key)
  expect(own).toEqual(expect.arrayContaining(['dnsFail', 'webgetFail']))
})
