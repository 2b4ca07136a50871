import type { Command } from 'commander'
import { parsePackage } from '../../../check/metadata/package-name.ts'
import { checkPackageRow, packageColumns } from '../../../check/rows/package-row.ts'
import { findPackages, findSpeedHistory, importPackages } from '../../../engine/postgres/operator/import-packages.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { withProgress } from '../../output.ts'
import { exactly, readLines } from '../../tasks/read-lines.ts'
import { answer, type CommandContext } from '../context.ts'
import { dayOf } from '../data/rolled-days.ts'

type Options = { json?: boolean }

export function addPackageCommands(program: Command, context: CommandContext): void {
  const command = program.command('package').description('manage the catalogue of ISPs and their packages')
  command
    .command('import <file>')
    .description(`add ISPs and packages from a CSV file with a header; columns: ${packageColumns.join(', ')}`)
    .option('--from <day>', 'UTC day from which changed speeds apply, YYYY-MM-DD (default: today)')
    .option('--json', 'print JSON')
    .action((file: string, options: Options & { from?: string }) => {
      const from = pastDay(options.from)
      return answer(
        context,
        options,
        (operator) =>
          withProgress('packages', (update) =>
            importPackages(operator, readLines(file, exactly(packageColumns), checkPackageRow), update, from),
          ),
        ({ lines, created, changed }) => `${lines} lines: ${created} packages added, ${changed} updated`,
      )
    })
  command
    .command('list')
    .description('list packages with their current speeds')
    .option('--isp <name>', 'list only packages of this ISP')
    .option('--json', 'print JSON')
    .action((options: Options & { isp?: string }) =>
      answer(context, options, (operator) => findPackages(operator, options.isp ?? null)),
    )
  command
    .command('history <package>')
    .description('list all recorded speeds of a package, <isp>:<package>, or of the packages of an ISP, <isp>:')
    .option('--json', 'print JSON')
    .action((text: string, options: Options) => {
      const named = parsePackage(text)
      if (named === null) throw new OperatorError(`a package has the form <isp>:<package>, not "${text}"`)
      return answer(context, options, (operator) => findSpeedHistory(operator, named))
    })
}

function pastDay(text: string | undefined): string | null {
  if (text === undefined) return null
  const today = Temporal.Now.plainDateISO('UTC')
  if (dayOf(text) > Temporal.PlainDate.from('1970-01-01').until(today).days)
    throw new OperatorError(`--from ${text} is in the future`)
  return text
}
