import { sql } from '../../base/sql.ts'
import { defineMetric } from '../define-metric.ts'
import { counted } from '../measure.ts'

export default defineMetric({
  key: 'tracerouteHops',
  name: 'Hops',
  description: 'Number of hops to a host that was reached. Pools all hosts.',
  unit: 'count',
  test: 'traceroute',
  measure: counted(sql`hop`),
  rows: sql`hop_address = address`,
  prefilter: [],
  higherIsBetter: false,
  aggregatedOnly: false,
})
