import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '../base/caller.ts'
import type { Clock } from '../base/clock.ts'
import { exportLimits } from '../base/limits.ts'
import { Fault, isUnavailable } from '../base/fault.ts'
import { exportFormats } from '../catalog/export-formats.ts'
import { exportKey } from '../engine/objects/export-objects.ts'
import { signLink } from '../engine/objects/sign-link.ts'
import { readExport, type Export } from '../engine/postgres/exports/exports.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import type { Stores } from '../engine/stores.ts'
import { exportAnswer, type ExportAnswer } from '../envelope/export-answer.ts'

export const noSuchExport = (): Fault => new Fault('NOT_FOUND', { detail: 'the caller has no such export' })

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A malformed id gets the same 404 as an unknown one. */
export function exportIdOf({ id = '' }: Readonly<Record<string, string>>): string {
  if (!uuid.test(id)) throw noSuchExport()
  return id
}

/**
 * The current state of an export, with a newly signed link. An export of another organisation gets the same 404 as an unknown
 * id.
 */
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
  const url =
    file === null ? null : await signLink(objects, { ...file, key: exportKey(objects, ...file.keyParts) }, now())
  return exportAnswer(found, url)
}

function fileOf({ id, status, attempt, format, file_name: fileName }: Export) {
  if (status !== 'complete') return null
  const contentType = exportFormats.find(({ key }) => key === format)?.contentType ?? 'application/octet-stream'
  const keyParts: [string, number, string] = [id, attempt, format]
  return { fileName, contentType, keyParts }
}

/** Waits until the export is complete or has failed. It polls PostgreSQL, because another instance may write the file. */
export async function waitForExport(
  scope: Scope,
  postgres: Postgres,
  id: string,
  waitMs: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const endsAt = performance.now() + waitMs
  let lastReadAt = performance.now()
  while (performance.now() < endsAt && !signal.aborted) {
    try {
      const found = await readExport(scope, postgres, id)
      if (found?.status !== 'queued' && found?.status !== 'running') return
      lastReadAt = performance.now()
    } catch (error) {
      // Tolerate a short outage of PostgreSQL: after an error the caller would request a second file while a worker still
      // writes this one.
      if (!isUnavailable(error) || performance.now() - lastReadAt > exportLimits.unavailableMs) throw error
    }
    await sleep(exportLimits.waitPollMs)
  }
}
