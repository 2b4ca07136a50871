import { checkNoParameters } from '../../check/query-parameters.ts'
import { findExportObjects, removeExportObjects } from '../../engine/objects/export-objects.ts'
import { cancelExport } from '../../engine/postgres/exports/exports.ts'
import { ok } from '../../envelope/envelope.ts'
import { defineRoute } from '../define-route.ts'
import { exportIdOf, noSuchExport } from '../../execute/show-export.ts'

export default defineRoute(
  'data',
  'DELETE',
  '/downloads/:id',
  'data:read',
  async ({ stores: { postgres, objects } }, caller, { query, params }) => {
    checkNoParameters(query)
    const id = exportIdOf(params)
    if (!(await cancelExport(caller, postgres, id))) throw noSuchExport()
    // Remove the file, so that signed links stop working. If object storage is unavailable, the export worker removes the file
    // later.
    await findExportObjects(objects, id)
      .then((found) => removeExportObjects(objects, found))
      .catch(() => {})
    return ok()
  },
)
