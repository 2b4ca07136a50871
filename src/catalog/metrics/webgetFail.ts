import { defineMetric } from '../define-metric.ts'
import { failuresOfAttempts } from '../measure.ts'
import { pageRules } from '../prefilters/page.ts'

export default defineMetric({
  key: 'webgetFail',
  name: 'Page loading failures',
  description: 'Share of the fetches of web pages that failed.',
  unit: '%',
  test: 'webget',
  measure: failuresOfAttempts,
  prefilter: pageRules,
  higherIsBetter: false,
  aggregatedOnly: true,
})
