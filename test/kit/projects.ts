/**
 * Which test files belong to which vitest project. `stores` is everything that is not named here.
 * test/house/projects.test.ts fails when a file is in the wrong project.
 */

/** Starts no store, and takes milliseconds: the inner loop. */
export const unit = [
  'test/{base,catalog,check,compile,envelope,house}/**/*.test.ts',
  'test/console/{csv,figures,record-reader}.test.ts',
  'test/engine/store-away.test.ts',
  'test/engine/clickhouse/query/{trailer-watch,whole-answer}.test.ts',
  'test/faults/metadata-linearizability-checker.test.ts',
  'test/http/connection/{content-encoding,stream-body}.test.ts',
  'test/http/server/{plain-path,server}.test.ts',
  'test/ingest/batch/{cut-batches,totals}.test.ts',
  'test/limits/request-slots.test.ts',
  'test/features/reference/{reference,reference-selection}.test.ts',
  'test/serve/config.test.ts',
  'test/serve/tasks/fetch-file.test.ts',
  'test/serve/telemetry/log.test.ts',
]

/** Starts no store either, but computes or waits for many seconds. */
export const slow = [
  'test/base/token-samples.test.ts',
  'test/http/connection/{cut-stalled,watch-for-silence}.test.ts',
  'test/ingest/{hang-ups,waiting-memory}.test.ts',
  'test/jobs/repeat.test.ts',
  'test/features/reference/{comparison,reference-calendar}.test.ts',
]

/** Needs stores, and compares how long something takes: runs after all others, one file at a time. */
export const alone = [
  'test/faults/attacks/longest-accepted.attack.ts',
  'test/ingest/bombs.test.ts',
  'test/limits/{bursts,longest-bodies,queries}.test.ts',
]
