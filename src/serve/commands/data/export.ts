import type { Command } from 'commander'
import { findExports, readExportRecord } from '../../../engine/postgres/operator/exports.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { print } from '../../output.ts'
import { runExportRequest } from '../../tasks/run-export-request.ts'
import { answer, firstOf, printerOf, settingsOf, type CommandContext } from '../context.ts'

type Options = { json?: boolean }

export function addExportCommands(program: Command, context: CommandContext): void {
  const command = program.command('export').description('manage exports: files that callers have requested')
  command
    .command('list')
    .description('list exports, the newest first')
    .option('--organisation <key>', 'list only exports of this organisation')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print JSON')
    .action((options: Options & { organisation?: string; limit: string }) => {
      const organisation = options.organisation ?? null
      return answer(context, options, (operator) =>
        firstOf(context, options.limit, (limit) => findExports(operator, { organisation, limit })),
      )
    })
  command
    .command('show <id>')
    .description('show one export: its request, state and file')
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
    .description('request an export like a caller, wait until serve or worker has written the file, and show the link')
    .requiredOption('--organisation <key>', 'organisation that requests the export')
    .option('--file <path>', 'also download the export to this path')
    .option('--json', 'print JSON')
    .action(async (source: string, request: string, options: Options & { organisation: string; file?: string }) => {
      if (source !== 'metric_data' && source !== 'test_data')
        throw new OperatorError(`the source of an export is metric_data or test_data, not "${source}"`)
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
