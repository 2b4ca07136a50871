import type { Synthesis } from '../define-synthesis.ts'
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

/** The synthesis of each test of the catalogue, in the catalogue's order. */
export const syntheses: readonly Synthesis[] = [
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
