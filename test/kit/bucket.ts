import { findExportObjects, removeExportObjects } from '../../src/engine/objects/export-objects.ts'
import { openObjects, type Objects } from '../../src/engine/objects/objects.ts'
import { objectsOptions, readSettings } from '../../src/serve/config.ts'

/** Runs `work` with the object store that a service with these settings uses. */
export async function withBucket<Result>(
  environment: Record<string, string>,
  work: (objects: Objects) => Promise<Result>,
): Promise<Result> {
  const objects = openObjects(objectsOptions(readSettings(environment)))
  try {
    return await work(objects)
  } finally {
    objects.close()
  }
}

/** Removes the exports of a closed world, and its unfinished multipart uploads. */
export const emptyBucket = (environment: Record<string, string>): Promise<void> =>
  withBucket(environment, async (objects) => removeExportObjects(objects, await findExportObjects(objects)))
