import type { Command } from 'commander'
import { catalog } from '../../../catalog/catalog.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import type { ImportedFile } from '../../../ingest/import/import-rows.ts'
import { addOutcome, noOutcome } from '../../../ingest/batch/batch.ts'
import { describeRejections, endImport, importFiles, type ImportReport } from '../../tasks/import-files.ts'
import { print } from '../../output.ts'
import { choicesText } from '../choices-text.ts'
import { printerOf, settingsOf, type CommandContext } from '../context.ts'
import { addImportPublishedCommand } from './import-published.ts'

type Options = { json?: boolean; organisation?: string }

export function addImportCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('import <test> <files...>')
    .enablePositionalOptions()
    .description('store results from files: CSV, NDJSON (both also as .gz or .zst) or Parquet; to resume, run it again')
    .option(
      '--organisation <key>',
      'organisation that owns the agents (default: the only organisation that owns panels)',
    )
    .option('--json', 'print JSON')
    .action(async (key: string, patterns: string[], options: Options) => {
      const test = catalog.tests.find((one) => one.key === key)
      if (test === undefined) {
        const keys = catalog.tests.map((one) => one.key)
        throw new OperatorError(`no such test: ${key}. ${choicesText(key, keys)}`)
      }
      const report = await importFiles(settingsOf(context), test, patterns, options.organisation ?? null)
      const total = report.files.reduce((sum, file) => addOutcome(sum, file), noOutcome)
      print(printerOf(context, options), { ...report, total }, describe(report, total))
      endImport(context, report.failures, total)
    })
  addImportPublishedCommand(command, context)
}

function describe({ files }: ImportReport, total: Pick<ImportedFile, 'accepted' | 'rejections'>): string {
  const lines = files.map(({ file, skipped, accepted, duplicates, rejected }) =>
    skipped
      ? `${file}: an earlier run has imported this file`
      : `${file}: ${accepted.toLocaleString('en')} rows stored, ${duplicates} duplicates, ${rejected} rejected`,
  )
  return [...lines, ...describeRejections(total)].join('\n')
}
