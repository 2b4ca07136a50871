import type { Command } from 'commander'
import { findExports, readExportRecord } from '../../../engine/postgres/operator/exports.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { print } from '../../output.ts'
import { runExportRequest } from '../../tasks/run-export-request.ts'
import { answer, firstOf, printerOf, settingsOf, type CommandContext } from '../context.ts'

type Options = { json?: boolean }

export function addExportCommands(program: Command, context: CommandContext): void {
  const command = program.command('export').description('exports: files of data that callers have asked for')
  command
    .command('list')
    .description('list exports, the latest first')
    .option('--organisation <key>', 'of one organisation')
    .option('--limit <number>', 'how many at most', '50')
    .option('--json', 'print JSON')
    .action((options: Options & { organisation?: string; limit: string }) => {
      const organisation = options.organisation ?? null
      return answer(context, options, (operator) =>
        firstOf(context, options.limit, (limit) => findExports(operator, { organisation, limit })),
      )
    })
  command
    .command('show <id>')
    .description('show one, what it is of and what became of it')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) =>
      answer(
        context,
        options,
        (operator) => readExportRecord(operator, id),
        (found) =>
          Object.entries(found)
            .map(([name, value]) => `${name}: ${value instanceof Date ? value.toISOString() : String(value ?? '-')}`)
            .join('\n'),
      ),
    )
  command
    .command('run <source> <request>')
    .description(
      'make an export of a request as a caller would, wait for it, and show its link; serve or worker writes it',
    )
    .requiredOption('--organisation <key>', 'on whose behalf')
    .option('--file <path>', 'fetch it')
    .option('--json', 'print JSON')
    .action(async (source: string, request: string, options: Options & { organisation: string; file?: string }) => {
      if (source !== 'metric_data' && source !== 'test_data')
        throw new OperatorError(`an export is of metric_data or of test_data, not of "${source}"`)
      const shown = await runExportRequest(settingsOf(context), { ...options, source, request })
      print(
        printerOf(context, options),
        shown,
        [
          `${shown.rows} rows, ${shown.bytes} bytes`,
          ...(shown.warnings ?? []).map(({ id = '', value = '', message }) => `warning: ${id}=${value}: ${message}`),
          options.file ?? shown.url,
        ].join('\n'),
      )
    })
}
