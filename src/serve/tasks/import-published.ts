import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { checkUnitProfileRow, profileColumns } from '../../check/rows/unit-profile-row.ts'
import { beginImport, recordImport } from '../../engine/postgres/operator/import-files.ts'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'
import { readOrganisation } from '../../engine/postgres/operator/organisations.ts'
import { readPanel } from '../../engine/postgres/operator/panels.ts'
import type { ImportStores } from '../../ingest/import/import-file.ts'
import { fileLayout } from '../../ingest/published/file-layouts.ts'
import { importPublished, type ImportedPublishedFile } from '../../ingest/published/import-published.ts'
import { publishedFiles } from '../../ingest/published/published-files.ts'
import { registerProfile } from '../../ingest/published/register-units.ts'
import type { Scope } from '../../base/caller.ts'
import { aboutTheFile } from './import-files.ts'
import type { Settings } from '../config-schema.ts'
import { withImportStores } from '../wiring/import-stores.ts'
import { readLines } from './read-lines.ts'
import { showTransfer } from './fetch-file.ts'

export type PublishedOptions = {
  readonly panel: string
  readonly profile: { readonly path: string; readonly fromDay: string } | null
}

export type PublishedReport = {
  /** Null if the data set has no profile, or if an earlier run has imported it. */
  readonly profile: { readonly registered: number; readonly changed: number } | null
  readonly files: readonly ImportedPublishedFile[]
  /** Files that belong to no known test. */
  readonly leftOut: readonly string[]
  readonly failures: readonly string[]
}

/** Imports folders and archives of a published data set into a panel. The profile of its units is imported first. */
export async function importPublishedData(
  settings: Settings,
  paths: readonly string[],
  { panel, profile }: PublishedOptions,
): Promise<PublishedReport> {
  return withImportStores(settings, async (stores) => {
    const { owner } = await readPanel(stores.operator, panel)
    const scope = { organisationId: (await readOrganisation(stores.operator, owner)).id }
    const known = profile === null ? null : await takeProfile(scope, stores, panel, profile)
    const files: ImportedPublishedFile[] = []
    const leftOut: string[] = []
    const failures: string[] = []
    const show = showTransfer()
    for (const path of paths) {
      try {
        for await (const file of publishedFiles(path)) {
          const layout = fileLayout(file.name)
          if (layout === null) {
            leftOut.push(file.path)
            continue
          }
          const progress = show(file.path)
          try {
            files.push(await importPublished(scope, stores, panel, file, layout, progress.update))
          } catch (error) {
            failures.push(`${file.path}: ${aboutTheFile(error)}`)
          } finally {
            progress.end()
          }
        }
      } catch (error) {
        failures.push(`${path}: ${aboutTheFile(error)}`)
      }
    }
    return { profile: known, files, leftOut, failures }
  })
}

/**
 * Imports a profile unless an earlier run has imported the same content. A second import would undo later changes of metadata.
 */
async function takeProfile(
  scope: Scope,
  { operator }: ImportStores,
  panel: string,
  { path, fromDay }: { path: string; fromDay: string },
): Promise<PublishedReport['profile']> {
  const units = await Array.fromAsync(readLines(path, profileHeader, checkUnitProfileRow))
  const contents = await readFile(path)
  const file = {
    test: `units of ${panel} from ${fromDay}`,
    path: `sha256:${createHash('sha256').update(contents).digest('hex')}`,
    bytes: contents.length,
    modifiedAt: new Date(0),
    panel: null,
  }
  const before = await beginImport(operator, scope, file)
  if (before.finished) return null
  const taken = await registerProfile(operator, panel, { units, fromDay })
  await recordImport(operator, scope, file, { ...before, accepted: units.length, finished: true })
  return taken
}

function profileHeader(given: string[]): string[] {
  const { names, missing } = profileColumns(given)
  if (missing.length > 0)
    throw new OperatorError(`the first line must name these columns, each once: ${missing.join(', ')}`)
  return names
}
