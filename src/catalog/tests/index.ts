import type { TestDefinition } from '../define-test.ts'
import dns from './dns.ts'
import httpget from './httpget.ts'
import httppost from './httppost.ts'
import jitter from './jitter.ts'
import latency from './latency.ts'
import mobileDownload from './mobile_download.ts'
import mobileLatency from './mobile_latency.ts'
import mobileUpload from './mobile_upload.ts'
import mobileWww from './mobile_www.ts'
import mobileYoutube from './mobile_youtube.ts'
import netflix from './netflix.ts'
import networkUsage from './network_usage.ts'
import ping from './ping.ts'
import traceroute from './traceroute.ts'
import webget from './webget.ts'
import youtube from './youtube.ts'

/** All tests: unit tests, then mobile tests. The order is that of the specification, and GET /tests uses it too. */
export const tests: readonly TestDefinition[] = [
  httpget,
  httppost,
  dns,
  netflix,
  ping,
  jitter,
  latency,
  webget,
  youtube,
  networkUsage,
  traceroute,
  mobileDownload,
  mobileLatency,
  mobileUpload,
  mobileWww,
  mobileYoutube,
]
