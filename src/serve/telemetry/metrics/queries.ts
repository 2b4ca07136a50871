import { Counter, Histogram, type Registry } from 'prom-client'
import type { Observe } from '../../../base/observe.ts'

export function queryMetrics(registry: Registry): Observe {
  const registers = [registry]
  const labelNames = ['endpoint']
  const seconds = new Histogram({
    name: 'broadgauge_engine_query_duration_seconds',
    help: 'Duration of callers’ queries in ClickHouse.',
    labelNames,
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 300, 3600],
    registers,
  })
  const rows = new Counter({
    name: 'broadgauge_query_rows_total',
    help: 'Rows that callers’ queries returned.',
    labelNames,
    registers,
  })
  return (observation) => {
    if (observation.kind !== 'query-finished') return
    const { endpoint } = observation
    seconds.observe({ endpoint }, observation.engineMs / 1000)
    rows.inc({ endpoint }, observation.rows)
  }
}
