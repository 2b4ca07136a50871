import { SpokenError } from '../../base/spoken-error.ts'
import type { BatchOutcome } from '../../ingest/batch/batch.ts'
import type { CommandContext } from '../commands/context.ts'

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
