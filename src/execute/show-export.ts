import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '../base/caller.ts'
import type { Clock } from '../base/clock.ts'
import { exportLimits } from '../base/limits.ts'
import { Fault, isAway } from '../base/fault.ts'
import { exportFormats } from '../catalog/export-formats.ts'
import { exportKey } from '../engine/objects/export-objects.ts'
import { signLink } from '../engine/objects/sign-link.ts'
import { readExport, type Export } from '../engine/postgres/exports/exports.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import type { Stores } from '../engine/stores.ts'
import { exportAnswer, type ExportAnswer } from '../envelope/export-answer.ts'

export const noSuchExport = (): Fault => new Fault('NOT_FOUND', { detail: 'the caller has no such export' })

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What is no id at all is answered like an id of nothing. */
export function exportIdOf({ id = '' }: Readonly<Record<string, string>>): string {
  if (!uuid.test(id)) throw noSuchExport()
  return id
}

/** An export of the caller's as it is now, with a link made afresh. Somebody else's is answered like none. */
export async function showExport(
  scope: Scope,
  {
    stores: { postgres, objects },
    now,
  }: { readonly stores: Pick<Stores, 'postgres' | 'objects'>; readonly now: Clock },
  id: string,
): Promise<ExportAnswer> {
  const found = await readExport(scope, postgres, id)
  if (found === null) throw noSuchExport()
  const file = fileOf(found)
  const url = file === null ? null : await signLink(objects, { ...file, key: exportKey(objects, ...file.place) }, now())
  return exportAnswer(found, url)
}

function fileOf({ id, status, attempt, format, file_name: fileName }: Export) {
  if (status !== 'complete') return null
  const contentType = exportFormats.find(({ key }) => key === format)?.contentType ?? 'application/octet-stream'
  const place: [string, number, string] = [id, attempt, format]
  return { fileName, contentType, place }
}

/** Waits until the file is written or has failed. Another instance may be writing it, so this polls PostgreSQL. */
export async function waitForExport(
  scope: Scope,
  postgres: Postgres,
  id: string,
  waitMs: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const endsAt = performance.now() + waitMs
  let heardAt = performance.now()
  while (performance.now() < endsAt && !signal.aborted) {
    try {
      const found = await readExport(scope, postgres, id)
      if (found?.status !== 'queued' && found?.status !== 'running') return
      heardAt = performance.now()
    } catch (error) {
      // A caller who is told of a failure asks for another file, while this one is being written.
      if (!isAway(error) || performance.now() - heardAt > exportLimits.awayMs) throw error
    }
    await sleep(exportLimits.waitPollMs)
  }
}
