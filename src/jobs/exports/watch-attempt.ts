import { storeAway } from '../../base/fault.ts'
import { exportLimits } from '../../base/export-limits.ts'
import type { ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { readProgress } from '../../engine/clickhouse/exports/read-progress.ts'
import { pingObjects } from '../../engine/objects/objects.ts'
import { beatExport, type ExportJob } from '../../engine/postgres/export-jobs.ts'
import { repeat } from '../repeat.ts'
import type { ExportStores } from './export-stores.ts'

/** The export has been given to somebody else, or nobody wants it any more. */
export class NotOurs extends Error {}

export type AttemptWatch = {
  readonly signal: AbortSignal
  /** For as long as a statement runs. Before and after, the engine has nothing to tell of it. */
  readonly during: <Result>(running: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/**
 * Keeps the lease of an attempt, notes how far it has come, and ends it when the engine or the storage has been silent for
 * too long: a statement that waits for either would wait for many minutes.
 */
export function watchAttempt(
  { postgres, objects }: Pick<ExportStores, 'postgres' | 'objects'>,
  job: ExportJob,
  node: ClickHouseNode,
  queryIds: readonly string[],
): AttemptWatch {
  const controller = new AbortController()
  const heard = { engine: performance.now(), storage: performance.now() }
  let progress = 0
  let isRunning = false
  const listen = async (store: keyof typeof heard, asking: () => Promise<void>) => {
    try {
      await asking()
      heard[store] = performance.now()
    } catch (error) {
      if (performance.now() - heard[store] > exportLimits.awayMs) controller.abort(storeAway(names[store], error))
    }
  }
  const beat = async () => {
    await Promise.all([
      listen('storage', () => pingObjects(objects)),
      listen('engine', async () => {
        if (isRunning) progress = await readProgress(node, queryIds)
      }),
    ])
    // Not being able to say so ends nothing: whoever takes over writes another object.
    const isOurs = await beatExport(postgres, job, progress).catch(() => true)
    if (!isOurs) controller.abort(new NotOurs())
  }
  const beating = repeat(beat, exportLimits.beatMs, () => {})
  const during: AttemptWatch['during'] = async (running) => {
    heard.engine = performance.now()
    isRunning = true
    return running().finally(() => {
      isRunning = false
    })
  }
  return { signal: controller.signal, during, close: beating.close }
}

const names = { engine: 'ClickHouse', storage: 'Object storage' }
