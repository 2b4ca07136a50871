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

/** Removes objects and unfinished uploads that belong to no export, an ended attempt or one past its time. Answers how many. */
export async function sweepExports({ postgres, objects }: SweptStores): Promise<number> {
  // First, so that a storage that cannot be listed does not keep it from being done.
  await purge(postgres, 'exports')
  let removed = 0
  // In this order: an object that is found has been announced in the table before.
  for await (const page of listExportObjects(objects)) removed += await removeUnkept({ postgres, objects }, page)
  return removed
}

/**
 * The same for one export. Whoever gives up an attempt cannot know what has become of the export since: another may be
 * writing it, or the word that it is complete may have been lost on its way back. So the table is asked here too.
 */
export async function sweepExport({ postgres, objects }: SweptStores, id: string): Promise<void> {
  await removeUnkept({ postgres, objects }, await findExportObjects(objects, id))
}

async function removeUnkept({ postgres, objects }: SweptStores, found: readonly ExportObject[]): Promise<number> {
  if (found.length === 0) return 0
  const kept = await findKeptExports(postgres, [...new Set(found.map(({ id }) => id))])
  const byId = new Map(kept.map((one) => [one.id, one]))
  const unwanted = found.filter((object) => !isWanted(object, byId.get(object.id)))
  await removeExportObjects(objects, unwanted)
  return unwanted.length
}

const isWanted = ({ attempt, uploadId }: ExportObject, kept: KeptExport | undefined): boolean =>
  kept?.attempt === attempt && (uploadId === undefined || kept.running)
