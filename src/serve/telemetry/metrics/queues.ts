import { Gauge, type Registry } from 'prom-client'
import { countExports } from '../../../engine/postgres/exports/exports.ts'
import type { Postgres } from '../../../engine/postgres/postgres.ts'
import { readSpanNumbersUsed } from '../../../engine/postgres/metadata/dictionary-events.ts'

/**
 * Metrics of the queues and of the used span numbers, for all instances together. They are read from PostgreSQL at each
 * scrape.
 */
export function queueMetrics(registry: Registry, postgres: Postgres): void {
  const exports = new Gauge({
    name: 'broadgauge_exports',
    help: 'Exports of all instances that are queued or being written.',
    labelNames: ['state'],
    registers: [],
    async collect() {
      const counts = await countExports(postgres).catch(() => null)
      // If PostgreSQL is unavailable, this metric is missing, but the scrape succeeds.
      if (counts === null) return this.reset()
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
    },
  })
  const spanNumbers = new Gauge({
    name: 'broadgauge_metadata_span_ids_used_ratio',
    help: 'Fraction of metadata span ids used; ids are never reused.',
    // This gauge has a label because a gauge without labels is exposed as 0 after a reset.
    labelNames: ['numbers'],
    registers: [],
    async collect() {
      const used = await readSpanNumbersUsed(postgres).catch(() => undefined)
      if (used === undefined) return this.reset()
      this.set({ numbers: 'spans' }, used)
    },
  })
  registry.registerMetric(spanNumbers)
  registry.registerMetric(exports)
}

export type QueryLoad = { readonly running: number; readonly waiting: number }

/** The number of running and waiting queries of this instance. */
export function loadMetric(registry: Registry, read: () => QueryLoad): void {
  const load = new Gauge({
    name: 'broadgauge_queries',
    help: 'Analytics queries of this instance that run or wait for a slot.',
    labelNames: ['state'],
    registers: [],
    collect() {
      for (const [state, count] of Object.entries(read())) this.set({ state }, count)
    },
  })
  registry.registerMetric(load)
}
