import {
  findExportObjects,
  listExportObjects,
  removeExportObjects,
  type ExportObject,
} from '../../engine/objects/export-objects.ts'
import { findKeptExports, type KeptExport } from '../../engine/postgres/exports/exports.ts'
import { purge } from '../../engine/postgres/purge.ts'
import type { ExportStores } from './export-stores.ts'

type SweptStores = Pick<ExportStores, 'postgres' | 'objects'>

/**
 * Removes objects and unfinished uploads that belong to no export, to an ended attempt or to an expired export. Returns the
 * number of removed objects and uploads.
 */
export async function sweepExports({ postgres, objects }: SweptStores): Promise<number> {
  // Purge the table first, so that an outage of object storage does not prevent it.
  await purge(postgres, 'exports')
  let removed = 0
  // List the objects before reading the table: a running attempt is in the table before its object exists.
  for await (const page of listExportObjects(objects)) removed += await removeUnwanted({ postgres, objects }, page)
  return removed
}

/**
 * Removes the unneeded objects of one export. A worker whose attempt failed does not know the state of the export, so this
 * function reads the state from PostgreSQL. Another worker may be writing the export. Or PostgreSQL has recorded the export as
 * complete, but the response to the worker was lost.
 */
export async function sweepExport({ postgres, objects }: SweptStores, id: string): Promise<void> {
  await removeUnwanted({ postgres, objects }, await findExportObjects(objects, id))
}

async function removeUnwanted({ postgres, objects }: SweptStores, found: readonly ExportObject[]): Promise<number> {
  if (found.length === 0) return 0
  const kept = await findKeptExports(postgres, [...new Set(found.map(({ id }) => id))])
  const byId = new Map(kept.map((one) => [one.id, one]))
  const unwanted = found.filter((object) => !isWanted(object, byId.get(object.id)))
  await removeExportObjects(objects, unwanted)
  return unwanted.length
}

const isWanted = ({ attempt, uploadId }: ExportObject, kept: KeptExport | undefined): boolean =>
  kept?.attempt === attempt && (uploadId === undefined || kept.running)
