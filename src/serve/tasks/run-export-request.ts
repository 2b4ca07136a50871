import { randomUUID } from 'node:crypto'
import { access } from 'node:fs/promises'
import { Fault } from '../../base/fault.ts'
import { exportLimits } from '../../base/limits.ts'
import { checkJson } from '../../check/json.ts'
import { asOperator, OperatorError } from '../../engine/postgres/operator/operator.ts'
import { readOrganisation } from '../../engine/postgres/operator/organisations.ts'
import type { ExportSource } from '../../engine/postgres/exports/exports.ts'
import type { ExportAnswer } from '../../envelope/export-answer.ts'
import { showExport, waitForExport } from '../../execute/show-export.ts'
import { exportIdIn, requestExport } from '../../execute/request-export.ts'
import { faultText } from '../commands/fault-text.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl } from '../config.ts'
import { fetchFile, fileIsThere } from './fetch-file.ts'
import { exportContext } from '../wiring/open-exports.ts'
import { closeStores, openStores, servedCatalog } from '../wiring/open-stores.ts'

export type ExportCommand = { organisation: string; source: ExportSource; request: string; file?: string }

/** Requests an export in the name of an organisation. It is handled exactly like a caller's request. */
export async function runExportRequest(
  settings: Settings,
  { organisation, source, request, file }: ExportCommand,
): Promise<ExportAnswer> {
  // Check this first, because writing the export may take an hour.
  if (file !== undefined && (await isThere(file))) throw fileIsThere(file)
  const { id: organisationId } = await asOperator(adminUrl(settings), (one) => readOrganisation(one, organisation))
  const scope = { organisationId }
  const stores = openStores(settings, () => {})
  const catalog = servedCatalog(settings)
  const context = { catalog, stores, exports: exportContext(settings, () => {}), now: () => Temporal.Now.instant() }
  let body: unknown
  try {
    body = checkJson(new TextEncoder().encode(request))
    const asked = { source, body, key: null, requestId: `command-${randomUUID()}`, onPlan: async () => ({}) }
    const id = exportIdIn(await requestExport(scope, context, asked))
    await waitForExport(scope, stores.postgres, id, exportLimits.timeoutMs)
    const shown = await showExport(scope, context, id)
    if (shown.url === null) throw new OperatorError(`The export ${id} is ${shown.status}. ${shown.failure ?? ''}`)
    if (file !== undefined) await fetchFile(shown.url, file, shown.bytes)
    return shown
  } catch (error) {
    throw error instanceof Fault ? new OperatorError(faultText(error, body)) : error
  } finally {
    await closeStores(stores)
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
