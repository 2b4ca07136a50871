import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { millisecondsOfMicroseconds } from '../measure.ts'
import { pageRules } from '../prefilters/page.ts'

export default defineMetric({
  key: 'webgetTtfb',
  name: 'Time to first byte',
  description: 'Mean time to the first byte of the requests of a web page. Pools all web pages.',
  unit: 'ms',
  test: 'webget',
  measure: millisecondsOfMicroseconds(sql`ttfb_avg`),
  prefilter: pageRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
