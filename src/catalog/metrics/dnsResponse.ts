import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { dnsRules } from '../prefilters/dns.ts'

export default defineMetric({
  key: 'dnsResponse',
  name: 'DNS response time',
  description: 'Time that a name server takes to answer. Pools all name servers and host names.',
  unit: 'ms',
  test: 'dns',
  measure: millisecondsOfMicroseconds(sql`rtt`),
  prefilter: dnsRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
