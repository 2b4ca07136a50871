import { storeAway } from '../../base/fault.ts'
import { exportLimits } from '../../base/limits.ts'
import type { ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { readProgress } from '../../engine/clickhouse/exports/write-export.ts'
import { pingObjects } from '../../engine/objects/objects.ts'
import { beatExport, type ExportJob } from '../../engine/postgres/exports/export-jobs.ts'
import { repeat } from '../repeat.ts'
import type { ExportStores } from './export-stores.ts'

/** The export has been given to somebody else, or nobody wants it any more. */
export class NotOurs extends Error {}

/** A statement of an attempt: from where to where its work takes the progress, and the rows it will read, where known. */
type AttemptPart = { readonly from: number; readonly to: number; readonly rows?: number }

export type AttemptWatch = {
  readonly signal: AbortSignal
  /** For as long as a statement runs. Before and after, the engine has nothing to tell of it. */
  readonly during: <Result>(part: AttemptPart, running: () => Promise<Result>) => Promise<Result>
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
  let part: AttemptPart | null = null
  const listen = async (store: keyof typeof heard, asking: () => Promise<void>) => {
    try {
      await asking()
      heard[store] = performance.now()
    } catch (error) {
      if (performance.now() - heard[store] > exportLimits.awayMs) controller.abort(storeAway(names[store], error))
    }
  }
  const beat = async () => {
    // Not being able to say so ends nothing: whoever takes over writes another object.
    const isOurs = await beatExport(postgres, job, progress).catch(() => true)
    if (!isOurs) controller.abort(new NotOurs())
  }
  const followEngine = async () => {
    const before = progress
    await listen('engine', async () => {
      if (part !== null) progress = await progressIn(part)
    })
    if (progress > before) await beat()
  }
  const progressIn = async ({ from, to, rows = 0 }: AttemptPart): Promise<number> =>
    Math.max(progress, from + (to - from) * (await readProgress(node, queryIds, rows)))
  const followed = [
    repeat(followEngine, exportLimits.progressMs, () => {}),
    repeat(
      () => listen('storage', () => pingObjects(objects)).then(beat),
      exportLimits.beatMs,
      () => {},
    ),
  ]
  const during: AttemptWatch['during'] = async (begun, running) => {
    heard.engine = performance.now()
    part = begun
    return running().finally(() => {
      part = null
    })
  }
  const close = async () => void (await Promise.all(followed.map((one) => one.close())))
  return { signal: controller.signal, during, close }
}

const names = { engine: 'ClickHouse', storage: 'Object storage' }
