import type { MetricDefinition } from '../define-metric.ts'
import httpget from './httpget.ts'
import httpgetSingle from './httpget_single.ts'
import httpgetMulti from './httpget_multi.ts'
import httppost from './httppost.ts'
import httppostSingle from './httppost_single.ts'
import httppostMulti from './httppost_multi.ts'
import httpgetRetrans from './httpget_retrans.ts'
import httppostRetrans from './httppost_retrans.ts'
import latency from './latency.ts'
import packetLoss from './packetLoss.ts'
import ping from './ping.ts'
import pingLoss from './pingLoss.ts'
import jitterUp from './jitterUp.ts'
import jitterDown from './jitterDown.ts'
import dnsResponse from './dnsResponse.ts'
import dnsFail from './dnsFail.ts'
import webgetAvg from './webgetAvg.ts'
import webgetTtfb from './webgetTtfb.ts'
import webgetFail from './webgetFail.ts'
import netflixBitrate from './netflixBitrate.ts'
import netflixStartup from './netflixStartup.ts'
import netflixStalls from './netflixStalls.ts'
import youtubeBitrate from './youtubeBitrate.ts'
import youtubeStartup from './youtubeStartup.ts'
import youtubeStalls from './youtubeStalls.ts'
import wanDown from './wanDown.ts'
import wanUp from './wanUp.ts'
import tracerouteHops from './tracerouteHops.ts'
import mobileDownload from './mobileDownload.ts'
import mobileUpload from './mobileUpload.ts'
import mobileLatency from './mobileLatency.ts'
import mobileJitter from './mobileJitter.ts'
import mobilePacketLoss from './mobilePacketLoss.ts'
import mobilePageLoad from './mobilePageLoad.ts'
import mobileYoutubeStartup from './mobileYoutubeStartup.ts'

/** All metrics, in the order in which the API lists them. */
export const metrics: readonly MetricDefinition[] = [
  httpget,
  httpgetSingle,
  httpgetMulti,
  httppost,
  httppostSingle,
  httppostMulti,
  httpgetRetrans,
  httppostRetrans,
  latency,
  packetLoss,
  ping,
  pingLoss,
  jitterUp,
  jitterDown,
  dnsResponse,
  dnsFail,
  webgetAvg,
  webgetTtfb,
  webgetFail,
  netflixBitrate,
  netflixStartup,
  netflixStalls,
  youtubeBitrate,
  youtubeStartup,
  youtubeStalls,
  wanDown,
  wanUp,
  tracerouteHops,
  mobileDownload,
  mobileUpload,
  mobileLatency,
  mobileJitter,
  mobilePacketLoss,
  mobilePageLoad,
  mobileYoutubeStartup,
]
