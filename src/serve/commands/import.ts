import type { Command } from 'commander'
import { SpokenError } from '../../base/spoken-error.ts'
import { catalog } from '../../catalog/catalog.ts'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'
import type { ImportedFile } from '../../ingest/import/import-file.ts'
import { addOutcome, noOutcome } from '../../ingest/totals.ts'
import { importFiles, type ImportReport } from '../import-files.ts'
import { print } from '../print.ts'
import { printerOf, settingsOf, type CommandContext } from './context.ts'

type Options = { json?: boolean; organisation?: string }

/** For programs that ask whether everything was stored: rows were rejected, and are told of. */
const exitCodeRejected = 2

export function addImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import <test> <files...>')
    .description('store results from files: CSV, NDJSON (both also as .gz or .zst) or Parquet; run again to go on')
    .option('--organisation <key>', 'whose agents they are of (default: the only one that owns panels)')
    .option('--json', 'print JSON')
    .action(async (key: string, patterns: string[], options: Options) => {
      const test = catalog.tests.find((one) => one.key === key)
      if (test === undefined) {
        throw new OperatorError(`no such test: ${key}; there are ${catalog.tests.map((one) => one.key).join(', ')}`)
      }
      const report = await importFiles(settingsOf(context), test, patterns, options.organisation ?? null)
      const total = report.files.reduce((sum, file) => addOutcome(sum, file), noOutcome)
      print(printerOf(context, options), { ...report, total }, describe(report, total))
      if (report.failures.length > 0) {
        throw new SpokenError(`These files were not imported:\n${report.failures.map((one) => `  ${one}`).join('\n')}`)
      }
      if (total.rejected > 0) context.exitWith?.(exitCodeRejected)
    })
}

function describe({ files }: ImportReport, total: Pick<ImportedFile, 'accepted' | 'rejections'>): string {
  const lines = files.map(({ file, skipped, accepted, duplicates, rejected }) =>
    skipped
      ? `${file}: imported before`
      : `${file}: ${accepted.toLocaleString('en')} rows stored, ${duplicates} repeated, ${rejected} rejected`,
  )
  const reasons = total.rejections.map(
    ({ reason, column, rows }) =>
      `  ${reason}${column === '' ? '' : ` (${column})`}: ${rows.toLocaleString('en')} rows`,
  )
  return [...lines, ...(reasons.length === 0 ? [] : ['Not stored, see rejected_results:', ...reasons])].join('\n')
}
