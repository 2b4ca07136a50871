import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Observation, Observe } from '../base/observe.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'

export type Figures = { observe: Observe; read: () => Promise<{ contentType: string; text: string }> }

/** The Prometheus figures of one service. A registry of its own: several services may live in one process in tests. */
export function createFigures(postgres: Postgres): Figures {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requestSeconds = new Histogram({
    name: 'broadgauge_request_duration_seconds',
    help: 'Time from the request to the last byte of the answer.',
    labelNames: ['interface', 'method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers,
  })
  const storeErrors = new Counter({
    name: 'broadgauge_store_errors_total',
    help: 'Errors of connections to a store, outside any request.',
    labelNames: ['store'],
    registers,
  })
  const ingestedRows = new Counter({
    name: 'broadgauge_ingested_rows_total',
    help: 'Rows of batches that were answered, by what became of them.',
    labelNames: ['test', 'outcome'],
    registers,
  })
  const exportAttempts = new Counter({
    name: 'broadgauge_export_attempts_total',
    help: 'Attempts of this copy to have an export written, by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  registry.registerMetric(poolGauge('open', 'Open connections to PostgreSQL.', () => postgres.pool.totalCount))
  registry.registerMetric(poolGauge('awaited', 'Requests waiting for one.', () => postgres.pool.waitingCount))
  // By themselves the figures sort and join the labels of every request.
  const series = new Map<string, Histogram.Internal<string>>()
  const seriesOf = ({ interface: name, method, route, status }: Extract<Observation, { kind: 'request-finished' }>) => {
    const key = `${name} ${method} ${status} ${route}`
    const present = series.get(key) ?? requestSeconds.labels({ interface: name, method, route, status })
    series.set(key, present)
    return present
  }
  return {
    observe: (observation) => {
      if (observation.kind === 'request-finished') seriesOf(observation).observe(observation.milliseconds / 1000)
      if (observation.kind === 'batch-stored') {
        for (const outcome of ['accepted', 'duplicates', 'rejected'] as const) {
          ingestedRows.inc({ test: observation.test, outcome }, observation[outcome])
        }
      }
      if (observation.kind === 'export-written') exportAttempts.inc({ outcome: 'written' })
      if (observation.kind === 'export-failed') exportAttempts.inc({ outcome: 'failed' })
      if (observation.kind === 'store-error') storeErrors.inc({ store: observation.store })
    },
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

function poolGauge(name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name: `broadgauge_postgres_connections_${name}`,
    help,
    registers: [],
    collect() {
      this.set(read())
    },
  })
}
