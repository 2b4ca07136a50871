import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { percentOf } from '../measure.ts'
import { mobileRoundTripRules } from '../prefilters/round-trip.ts'

export default defineMetric({
  key: 'mobilePacketLoss',
  name: 'Mobile packet loss',
  description:
    'Percentage of UDP packets sent by a mobile device that did not come back. Pools all phones, mobile operators, connection types (Wi-Fi included), cellular technologies and countries, and all test servers.',
  unit: '%',
  test: 'mobile_latency',
  measure: percentOf(sql`packets_sent - packets_received`, sql`packets_sent`),
  prefilter: mobileRoundTripRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
