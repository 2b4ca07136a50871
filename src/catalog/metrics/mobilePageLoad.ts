import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { secondsOfMicroseconds } from '../measure.ts'
import { pageRules } from '../prefilters/page.ts'

export default defineMetric({
  key: 'mobilePageLoad',
  name: 'Mobile page loading time',
  description:
    'Time to fetch a web page from a mobile device. Pools all phones, mobile operators, connection types (Wi-Fi included), cellular technologies and countries, and all web pages.',
  unit: 's',
  test: 'mobile_www',
  measure: secondsOfMicroseconds(sql`fetch_time`),
  prefilter: pageRules,
  higherIsBetter: false,
  aggregatedOnly: false,
})
