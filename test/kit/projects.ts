/**
 * Assigns the test files to vitest projects. A file that matches none of these lists belongs to the project `stores`.
 * test/house/projects.test.ts fails if a file is in the wrong project.
 */

/** Tests that need no store and take milliseconds: the inner loop. */
export const unit = [
  'test/{base,catalog,check,compile,envelope,house}/**/*.test.ts',
  'test/devstack/platform.test.ts',
  'test/console/{csv,numbers,record-reader}.test.ts',
  'test/execute/{query-costs,paging/cursor}.test.ts',
  'test/engine/store-unavailable.test.ts',
  'test/engine/clickhouse/query/{trailer-watch,whole-answer}.test.ts',
  'test/faults/metadata-linearizability-checker.test.ts',
  'test/http/connection/{content-encoding,stream-body}.test.ts',
  'test/http/server/{plain-path,server}.test.ts',
  'test/ingest/batch/{cut-batches,totals}.test.ts',
  'test/limits/{link-guesses,priorities,request-slots}.test.ts',
  'test/features/reference/{reference,reference-comparison,reference-completeness,reference-coverage,reference-distribution,reference-filters,reference-having,reference-intervals,reference-periods,reference-prefilter,reference-questions,reference-selection,reference-windows}.test.ts',
  'test/serve/commands/{block-chart,filter-options,choices,choices-text,command-errors,completion,fault-text}.test.ts',
  'test/serve/config.test.ts',
  'test/serve/tasks/fetch-file.test.ts',
  'test/serve/telemetry/log.test.ts',
]

/** Tests that need no store, but compute or wait for many seconds. */
export const slow = [
  'test/base/token-samples.test.ts',
  'test/http/connection/{cut-stalled,watch-for-silence}.test.ts',
  'test/http/drawing/draw-svg.test.ts',
  'test/http/openapi/request-bodies.test.ts',
  'test/ingest/{hang-ups,waiting-memory}.test.ts',
  'test/jobs/repeat.test.ts',
  'test/serve/main.test.ts',
  'test/features/reference/{comparison,reference-calendar}.test.ts',
]

/** Tests that need stores and measure durations. They run after all other tests, one file at a time. */
export const alone = [
  'test/faults/attacks/longest-accepted.attack.ts',
  'test/ingest/bombs.test.ts',
  'test/limits/{bursts,longest-bodies,queries}.test.ts',
]
