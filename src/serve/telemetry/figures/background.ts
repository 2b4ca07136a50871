import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Observe } from '../../../base/observe.ts'

/** Shown as 0 from the start, as in requests.ts; a test compares them with those the sources name. */
const stores = [
  'PostgreSQL',
  'ClickHouse',
  'Object storage',
  'audit',
  'dictionaries',
  'exports',
  'rollups',
  'traces',
  'values',
]

/** What happens beside requests: results in, exports, dictionaries, stores that fail. */
export function backgroundFigures(registry: Registry): Observe {
  const registers = [registry]
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
  const storedAt = new Gauge({
    name: 'broadgauge_ingest_stored_timestamp_seconds',
    help: 'When this copy last stored results, by test.',
    labelNames: ['test'],
    registers,
  })
  const exportAttempts = new Counter({
    name: 'broadgauge_export_attempts_total',
    help: 'Attempts of this copy to have an export written, by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  const reloadSeconds = new Histogram({
    name: 'broadgauge_dictionary_reload_duration_seconds',
    help: 'Time this copy took to have dictionaries read again, small or large.',
    labelNames: ['group'],
    buckets: [0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
    registers,
  })
  const reloadedAt = new Gauge({
    name: 'broadgauge_dictionary_reloaded_timestamp_seconds',
    help: 'When this copy last did.',
    labelNames: ['group'],
    registers,
  })
  for (const store of stores) storeErrors.inc({ store }, 0)
  for (const outcome of ['written', 'failed']) exportAttempts.inc({ outcome }, 0)
  return (observation) => {
    if (observation.kind === 'store-error') storeErrors.inc({ store: observation.store })
    if (observation.kind === 'export-written') exportAttempts.inc({ outcome: 'written' })
    if (observation.kind === 'export-failed') exportAttempts.inc({ outcome: 'failed' })
    if (observation.kind === 'dictionaries-reloaded') {
      reloadSeconds.observe({ group: observation.group }, observation.milliseconds / 1000)
      reloadedAt.setToCurrentTime({ group: observation.group })
    }
    if (observation.kind !== 'batch-stored') return
    storedAt.setToCurrentTime({ test: observation.test })
    for (const outcome of ['accepted', 'duplicates', 'rejected'] as const) {
      ingestedRows.inc({ test: observation.test, outcome }, observation[outcome])
    }
  }
}
