import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Observe } from '../../base/observe.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { backgroundFigures } from './figures/background.ts'
import { queryFigures } from './figures/queries.ts'
import { loadFigure, queueFigures, type QueryLoad } from './figures/queues.ts'
import { requestFigures } from './figures/requests.ts'

export type Figures = {
  observe: Observe
  read: () => Promise<{ contentType: string; text: string }>
  /** Shows also how many queries there are. */
  follow: (read: () => QueryLoad) => void
}

/** The Prometheus figures of one service. A registry of its own: several services may live in one process in tests. */
export function createFigures(postgres: Postgres): Figures {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  registry.registerMetric(poolGauge('open', 'Open connections to PostgreSQL.', () => postgres.pool.totalCount))
  registry.registerMetric(poolGauge('awaited', 'Requests waiting for one.', () => postgres.pool.waitingCount))
  queueFigures(registry, postgres)
  const observers = [requestFigures(registry), queryFigures(registry), backgroundFigures(registry)]
  return {
    observe: (observation) => {
      for (const observe of observers) observe(observation)
    },
    follow: (read) => loadFigure(registry, read),
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
