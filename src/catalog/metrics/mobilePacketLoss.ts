import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { percentOf } from '../measure.ts'
import { mobileRoundTripRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'mobilePacketLoss',
  name: 'Mobile packet loss',
  description: 'Share of the UDP packets sent by a mobile device that did not come back.',
  unit: '%',
  test: 'mobile_latency',
  measure: percentOf(sql`packets_sent - packets_received`, sql`packets_sent`),
  prefilter: mobileRoundTripRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
