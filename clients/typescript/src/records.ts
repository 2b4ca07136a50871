import type * as Types from './generated/types.ts'

/** The type of a record of each test, by the test's key. */
export type TestRecords = {
  httpget: Types.TestRecordHttpget
  httppost: Types.TestRecordHttppost
  dns: Types.TestRecordDns
  netflix: Types.TestRecordNetflix
  ping: Types.TestRecordPing
  jitter: Types.TestRecordJitter
  latency: Types.TestRecordLatency
  webget: Types.TestRecordWebget
  youtube: Types.TestRecordYoutube
  network_usage: Types.TestRecordNetworkUsage
  traceroute: Types.TestRecordTraceroute
  mobile_download: Types.TestRecordMobileDownload
  mobile_latency: Types.TestRecordMobileLatency
  mobile_upload: Types.TestRecordMobileUpload
  mobile_www: Types.TestRecordMobileWww
  mobile_youtube: Types.TestRecordMobileYoutube
}

export type TestKey = keyof TestRecords
