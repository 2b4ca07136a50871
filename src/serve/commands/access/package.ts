import type { Command } from 'commander'
import { checkPackageRow, packageColumns } from '../../../check/rows/package-row.ts'
import { findPackages, importPackages } from '../../../engine/postgres/operator/import-packages.ts'
import { withProgress } from '../../output.ts'
import { exactly, readLines } from '../../tasks/read-lines.ts'
import { answer, type CommandContext } from '../context.ts'

type Options = { json?: boolean }

export function addPackageCommands(program: Command, context: CommandContext): void {
  const command = program.command('package').description('the catalogue of ISPs and their packages')
  command
    .command('import <file>')
    .description(`add ISPs and packages from a CSV file with a header; columns: ${packageColumns.join(', ')}`)
    .option('--json', 'print JSON')
    .action((file: string, options: Options) =>
      answer(
        context,
        options,
        (operator) =>
          withProgress('packages', (update) =>
            importPackages(operator, readLines(file, exactly(packageColumns), checkPackageRow), update),
          ),
        ({ lines, created, changed }) => `${lines} lines: ${created} packages added, ${changed} updated`,
      ),
    )
  command
    .command('list')
    .description('list packages')
    .option('--isp <name>', 'of one ISP only')
    .option('--json', 'print JSON')
    .action((options: Options & { isp?: string }) =>
      answer(context, options, (operator) => findPackages(operator, options.isp ?? null)),
    )
}
