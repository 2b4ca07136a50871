import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { secondsOfMicroseconds } from '../measure.ts'
import { pageRules } from '../prefilters/page.ts'

export default defineMetric({
  key: 'webgetAvg',
  name: 'Page loading time',
  description: 'Time to fetch a web page and everything it embeds. Pools all web pages.',
  unit: 's',
  test: 'webget',
  measure: secondsOfMicroseconds(sql`fetch_time`),
  prefilter: pageRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
