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
import { Fault, SpokenError } from '../../base/fault.ts'
import type { BatchOutcome } from '../../ingest/batch/batch.ts'
import type { CommandContext } from '../commands/context.ts'

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

/** For programs that ask whether everything was stored: rows were rejected, and are told of. */
const exitCodeRejected = 2

export function endImport(context: CommandContext, failures: readonly string[], { rejected }: BatchOutcome): void {
  if (failures.length > 0) {
    throw new SpokenError(`These files were not imported:\n${failures.map((one) => `  ${one}`).join('\n')}`)
  }
  if (rejected > 0) context.exitWith?.(exitCodeRejected)
}

/** Why rows were not stored, a line each. */
export function describeRejections({ rejections }: Pick<BatchOutcome, 'rejections'>): string[] {
  const reasons = rejections.map(
    ({ reason, column, rows }) =>
      `  ${reason}${column === '' ? '' : ` (${column})`}: ${rows.toLocaleString('en')} rows`,
  )
  const isCut = rejections.some(({ rows, kept_rows: kept }) => kept < rows)
  const where = isCut ? 'the first rows of each batch are in rejected_results' : 'see rejected_results'
  return reasons.length === 0 ? [] : [`Not stored, ${where}:`, ...reasons]
}

/** What is wrong with a file, in a sentence; anything else ends the import. */
export function aboutTheFile(error: unknown): string {
  if (error instanceof SpokenError) return error.message
  if (error instanceof Fault && error.errors !== undefined) {
    return Object.entries(error.errors)
      .map(([column, messages]) => `${column}: ${messages.join(' ')}`)
      .join('; ')
  }
  if (error instanceof Error && 'code' in error && /^(EACCES|EISDIR|ENOENT)$/.test(String(error.code)))
    return error.message
  throw error
}
