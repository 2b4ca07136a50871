import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Observe } from '../../base/observe.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { backgroundMetrics } from './metrics/background.ts'
import { queryMetrics } from './metrics/queries.ts'
import { loadMetric, queueMetrics, type QueryLoad } from './metrics/queues.ts'
import { requestMetrics } from './metrics/requests.ts'

export type Metrics = {
  observe: Observe
  read: () => Promise<{ contentType: string; text: string }>
  /** Adds metrics about the running and waiting queries that `read` returns. */
  follow: (read: () => QueryLoad) => void
}

/** Uses its own registry, because tests run several services in one process. */
export function createMetrics(postgres: Postgres): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  registry.registerMetric(poolGauge('open', 'Open connections to PostgreSQL.', () => postgres.pool.totalCount))
  registry.registerMetric(poolGauge('awaited', 'Requests waiting for one.', () => postgres.pool.waitingCount))
  queueMetrics(registry, postgres)
  const observers = [requestMetrics(registry), queryMetrics(registry), backgroundMetrics(registry)]
  return {
    observe: (observation) => {
      for (const observe of observers) observe(observation)
    },
    follow: (read) => loadMetric(registry, read),
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
