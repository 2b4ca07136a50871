import { existsSync, globSync } from 'node:fs'
import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { OperatorError, type Operator } from '../../engine/postgres/operator/operator.ts'
import { readOrganisation } from '../../engine/postgres/operator/organisations.ts'
import { findPanels } from '../../engine/postgres/operator/panels.ts'
import { importFile } from '../../ingest/import/import-file.ts'
import type { ImportedFile } from '../../ingest/import/import-rows.ts'
import { aboutTheFile } from './about-the-file.ts'
import type { Settings } from '../config-schema.ts'
import { withImportStores } from '../wiring/import-stores.ts'
import { showTransfer } from './transfer-progress.ts'

export type ImportReport = { readonly files: readonly ImportedFile[]; readonly failures: readonly string[] }

/** Imports files one after the other. One that cannot be read does not keep the others from being imported. */
export async function importFiles(
  settings: Settings,
  test: TestDefinition,
  patterns: readonly string[],
  organisation: string | null,
): Promise<ImportReport> {
  const paths = findFiles(patterns)
  return withImportStores(settings, async (stores) => {
    const scope = await scopeOf(stores.operator, organisation)
    const files: ImportedFile[] = []
    const failures: string[] = []
    const show = showTransfer()
    for (const [index, path] of paths.entries()) {
      const progress = show(`${index + 1}/${paths.length} ${path}`)
      try {
        files.push(await importFile(scope, stores, test, path, progress.update))
      } catch (error) {
        failures.push(`${path}: ${aboutTheFile(error)}`)
      } finally {
        progress.end()
      }
    }
    return { files, failures }
  })
}

/** Whose agents the results are of. Where only one organisation owns panels there is no question. */
async function scopeOf(operator: Operator, organisation: string | null): Promise<Scope> {
  const owners = new Set((await findPanels(operator)).map(({ owner }) => owner))
  const [owner] = owners
  if (organisation === null && (owner === undefined || owners.size > 1)) {
    const names = [...owners].join(', ')
    throw new OperatorError(`--organisation says whose results these are; ${names || 'nobody'} owns panels`)
  }
  return { organisationId: (await readOrganisation(operator, organisation ?? owner ?? '')).id }
}

/** In the order given; a pattern in the order of its names. */
function findFiles(patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => {
    const paths = existsSync(pattern) ? [pattern] : globSync(pattern).toSorted()
    if (paths.length === 0) throw new OperatorError(`there is no file ${pattern}`)
    return paths
  })
  return [...new Set(found)]
}
