import { storeUnavailable } from '../../base/fault.ts'
import { exportLimits } from '../../base/limits.ts'
import type { ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { readProgress } from '../../engine/clickhouse/exports/write-export.ts'
import { pingObjects } from '../../engine/objects/objects.ts'
import { beatExport, type ExportJob } from '../../engine/postgres/exports/export-jobs.ts'
import { repeat } from '../repeat.ts'
import type { ExportStores } from './export-stores.ts'

/** Another worker owns the export now, or the caller has cancelled it. */
export class LeaseLost extends Error {}

/**
 * The progress of the export at the start and at the end of one statement, and the number of rows that the statement will
 * read, if known.
 */
type AttemptPart = { readonly from: number; readonly to: number; readonly rows?: number }

export type AttemptWatch = {
  readonly signal: AbortSignal
  /** Runs one statement and follows its progress: ClickHouse reports progress only while the statement runs. */
  readonly during: <Result>(part: AttemptPart, running: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/**
 * Renews the lease of an attempt and records its progress. Aborts the attempt if ClickHouse or object storage has not responded
 * for too long: the statement itself would wait for many minutes.
 */
export function watchAttempt(
  { postgres, objects }: Pick<ExportStores, 'postgres' | 'objects'>,
  job: ExportJob,
  node: ClickHouseNode,
  queryIds: readonly string[],
): AttemptWatch {
  const controller = new AbortController()
  const answeredAt = { engine: performance.now(), storage: performance.now() }
  let progress = 0
  let part: AttemptPart | null = null
  const listen = async (store: keyof typeof answeredAt, asking: () => Promise<void>) => {
    try {
      await asking()
      answeredAt[store] = performance.now()
    } catch (error) {
      if (performance.now() - answeredAt[store] > exportLimits.unavailableMs)
        controller.abort(storeUnavailable(names[store], error))
    }
  }
  const beat = async () => {
    // A failed heartbeat does not end the attempt. If another worker takes over the export, it writes to another object.
    const isOurs = await beatExport(postgres, job, progress).catch(() => true)
    if (!isOurs) controller.abort(new LeaseLost())
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
    answeredAt.engine = performance.now()
    part = begun
    return running().finally(() => {
      part = null
    })
  }
  const close = async () => void (await Promise.all(followed.map((one) => one.close())))
  return { signal: controller.signal, during, close }
}

const names = { engine: 'ClickHouse', storage: 'Object storage' }
