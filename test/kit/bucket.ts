import { findExportObjects, removeExportObjects } from '../../src/engine/objects/export-objects.ts'
import { openObjects, type Objects } from '../../src/engine/objects/objects.ts'
import { objectsOptions, readSettings } from '../../src/serve/config.ts'

/** Runs `work` with the bucket as the service of that environment sees it. */
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

/** Removes the exports of a world that is over, and uploads of them that nobody finished. */
export const emptyBucket = (environment: Record<string, string>): Promise<void> =>
  withBucket(environment, async (objects) => removeExportObjects(objects, await findExportObjects(objects)))
