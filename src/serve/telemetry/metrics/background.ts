import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Observe } from '../../../base/observe.ts'

/**
 * The stores and jobs whose errors are counted. All their counters start at 0, like those in requests.ts. A test compares this
 * list with the stores that the code names.
 */
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

/** Metrics of work that is not part of requests: ingested rows, exports, dictionaries and store errors. */
export function backgroundMetrics(registry: Registry): Observe {
  const registers = [registry]
  const storeErrors = new Counter({
    name: 'broadgauge_store_errors_total',
    help: 'Store errors outside requests, by store.',
    labelNames: ['store'],
    registers,
  })
  const ingestedRows = new Counter({
    name: 'broadgauge_ingested_rows_total',
    help: 'Rows of ingest batches, by test and outcome.',
    labelNames: ['test', 'outcome'],
    registers,
  })
  const storedAt = new Gauge({
    name: 'broadgauge_ingest_stored_timestamp_seconds',
    help: 'Time of the last results this instance stored, by test.',
    labelNames: ['test'],
    registers,
  })
  const exportAttempts = new Counter({
    name: 'broadgauge_export_attempts_total',
    help: 'Attempts of this instance to write an export, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const reloadSeconds = new Histogram({
    name: 'broadgauge_dictionary_reload_duration_seconds',
    help: 'Duration of dictionary reloads started by this instance, by group (small or large).',
    labelNames: ['group'],
    buckets: [0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
    registers,
  })
  const reloadedAt = new Gauge({
    name: 'broadgauge_dictionary_reloaded_timestamp_seconds',
    help: 'Time of the last dictionary reload by this instance, by group.',
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
