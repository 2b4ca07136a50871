import { defineMetric } from '../define-metric.ts'
import { failuresOfAttempts } from '../measure.ts'
import { pageRules } from '../prefilters/page.ts'

export default defineMetric({
  key: 'webgetFail',
  name: 'Page loading failures',
  description: 'Percentage of web page fetches that failed. Pools all web pages.',
  unit: '%',
  test: 'webget',
  measure: failuresOfAttempts,
  prefilter: pageRules,
  higherIsBetter: false,
  aggregatedOnly: true,
})
