import { existsSync, globSync } from 'node:fs'
import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { type Operator, OperatorError } from '../../engine/postgres/operator/operator.ts'
import { readOrganisation } from '../../engine/postgres/operator/organisations.ts'
import { findPanels } from '../../engine/postgres/operator/panels.ts'
import { importFile } from '../../ingest/import/import-file.ts'
import type { ImportedFile } from '../../ingest/import/import-rows.ts'
import type { Settings } from '../config-schema.ts'
import { withImportStores } from '../wiring/import-stores.ts'
import { showTransfer } from './fetch-file.ts'
import { Fault, UserFacingError } from '../../base/fault.ts'
import type { BatchOutcome } from '../../ingest/batch/batch.ts'
import type { CommandContext } from '../commands/context.ts'

export type ImportReport = { readonly files: readonly ImportedFile[]; readonly failures: readonly string[] }

/** Imports files one after the other. If a file is unreadable, the others are still imported. */
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

/** The scope of the organisation that owns the agents. The operator may omit the organisation if only one owns panels. */
async function scopeOf(operator: Operator, organisation: string | null): Promise<Scope> {
  const owners = new Set((await findPanels(operator)).map(({ owner }) => owner))
  const [owner] = owners
  if (organisation === null && (owner === undefined || owners.size > 1)) {
    const names = [...owners].join(', ')
    throw new OperatorError(
      `use --organisation to name the owner of the agents; organisations that own panels: ${names || 'none'}`,
    )
  }
  return { organisationId: (await readOrganisation(operator, organisation ?? owner ?? '')).id }
}

/** Finds the files in the order of the patterns. The matches of one pattern are ordered by name. */
function findFiles(patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => {
    const paths = existsSync(pattern) ? [pattern] : globSync(pattern).toSorted()
    if (paths.length === 0) throw new OperatorError(`there is no file ${pattern}`)
    return paths
  })
  return [...new Set(found)]
}

/** Exit code of an import that succeeded but rejected rows. */
const exitCodeRejected = 2

export function endImport(context: CommandContext, failures: readonly string[], { rejected }: BatchOutcome): void {
  if (failures.length > 0) {
    throw new UserFacingError(`These files were not imported:\n${failures.map((one) => `  ${one}`).join('\n')}`)
  }
  if (rejected > 0) context.exitWith?.(exitCodeRejected)
}

/** Returns one line per reason. */
export function describeRejections({ rejections }: Pick<BatchOutcome, 'rejections'>): string[] {
  const reasons = rejections.map(
    ({ reason, column, rows }) =>
      `  ${reason}${column === '' ? '' : ` (${column})`}: ${rows.toLocaleString('en')} rows`,
  )
  const isCut = rejections.some(({ rows, kept_rows: kept }) => kept < rows)
  const where = isCut ? 'the first rows of each batch are in rejected_results' : 'the rows are in rejected_results'
  return reasons.length === 0 ? [] : [`Not stored (${where}):`, ...reasons]
}

/** Returns the message if the error concerns the file. Any other error is thrown again and ends the import. */
export function aboutTheFile(error: unknown): string {
  if (error instanceof UserFacingError) return error.message
  if (error instanceof Fault && error.errors !== undefined) {
    return Object.entries(error.errors)
      .map(([column, messages]) => `${column}: ${messages.join(' ')}`)
      .join('; ')
  }
  if (error instanceof Error && 'code' in error && /^(EACCES|EISDIR|ENOENT)$/.test(String(error.code)))
    return error.message
  throw error
}
