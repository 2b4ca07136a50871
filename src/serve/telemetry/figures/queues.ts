import { Gauge, type Registry } from 'prom-client'
import { countExports } from '../../../engine/postgres/exports/exports.ts'
import type { Postgres } from '../../../engine/postgres/postgres.ts'
import { readSpanNumbersUsed } from '../../../engine/postgres/metadata/dictionary-events.ts'

/** What waits or is used up in PostgreSQL, for all copies together; looked up when figures are asked for. */
export function queueFigures(registry: Registry, postgres: Postgres): void {
  const exports = new Gauge({
    name: 'broadgauge_exports',
    help: 'Exports of all copies that wait, and that are being written.',
    labelNames: ['state'],
    registers: [],
    async collect() {
      const counts = await countExports(postgres).catch(() => null)
      // What is not known is not shown: a store that is away must not take the other figures with it.
      if (counts === null) return this.reset()
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
    },
  })
  const spanNumbers = new Gauge({
    name: 'broadgauge_span_numbers_used_ratio',
    help: 'Share of the numbers of metadata spans that has been given away; none comes back.',
    // With a label, because a gauge without one is shown as 0 when it is not known.
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

/** Queries of this copy. */
export function loadFigure(registry: Registry, read: () => QueryLoad): void {
  const load = new Gauge({
    name: 'broadgauge_queries',
    help: 'Analytics queries of this copy that run, and that wait for one to end.',
    labelNames: ['state'],
    registers: [],
    collect() {
      for (const [state, count] of Object.entries(read())) this.set({ state }, count)
    },
  })
  registry.registerMetric(load)
}
