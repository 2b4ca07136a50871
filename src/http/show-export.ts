import type { Scope } from '../base/caller.ts'
import { Fault } from '../base/fault.ts'
import { exportFormats } from '../catalog/export-formats.ts'
import { exportKey } from '../engine/objects/export-objects.ts'
import { signLink } from '../engine/objects/sign-link.ts'
import { readExport, type Export } from '../engine/postgres/exports.ts'
import { exportAnswer, type ExportAnswer } from '../envelope/export-answer.ts'
import type { RouteContext } from './define-route.ts'

/** What it takes to show an export. */
export type ExportContext = Pick<RouteContext, 'catalog' | 'stores' | 'now' | 'exports'>

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
  { stores: { postgres, objects }, now }: ExportContext,
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
