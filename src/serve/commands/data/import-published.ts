import type { Command } from 'commander'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { addOutcome, noOutcome } from '../../../ingest/batch/batch.ts'
import { describeRejections, endImport } from '../../tasks/import-files.ts'
import { importPublishedData, type PublishedReport } from '../../tasks/import-published.ts'
import { print } from '../../output.ts'
import { printerOf, settingsOf, type CommandContext } from '../context.ts'

type Options = { panel: string; profile?: string; from?: string; json?: boolean }

export function addImportPublishedCommand(command: Command, context: CommandContext): void {
  command
    .command('fcc-mba <paths...>')
    .description(
      'store raw data of Measuring Broadband America: folders or .tar.gz with curr_*.csv; to resume, run it again',
    )
    .requiredOption('--panel <key>', 'panel of the units; see: broadgauge panel create')
    .option('--profile <file>', 'unit profile as CSV: ISPs, packages and time zones of the units; requires --from')
    .option('--from <day>', 'first UTC day on which the profile is valid, such as 2023-01-01')
    .option('--json', 'print JSON')
    .action(async (paths: string[], options: Options) => {
      const { panel } = options
      const report = await importPublishedData(settingsOf(context), paths, { panel, profile: profileOf(options) })
      const total = report.files.reduce((sum, file) => addOutcome(sum, file), noOutcome)
      const said = [...describe(report, options.profile), ...describeRejections(total)].join('\n')
      print(printerOf(context, options), { ...report, total }, said)
      endImport(context, report.failures, total)
    })
}

function profileOf({ profile, from }: Options): { path: string; fromDay: string } | null {
  if (profile === undefined && from === undefined) return null
  if (profile === undefined || from === undefined) throw new OperatorError('--profile and --from must be used together')
  try {
    return { path: profile, fromDay: Temporal.PlainDate.from(from).toString() }
  } catch (error) {
    throw new OperatorError(`--from takes a day such as 2023-01-01, not "${from}"`, error)
  }
}

const count = (number: number): string => number.toLocaleString('en')

const describeProfile = (profile: PublishedReport['profile'], path: string): string =>
  profile === null
    ? `${path}: an earlier run has imported this profile`
    : `${count(profile.registered)} units registered, ${count(profile.changed)} timelines written`

function describe({ profile, files, leftOut }: PublishedReport, profilePath: string | undefined): string[] {
  return [
    ...(profilePath === undefined ? [] : [describeProfile(profile, profilePath)]),
    ...files.map(({ file, skipped, accepted, duplicates, rejected, partial, newUnits }) =>
      skipped
        ? `${file}: an earlier run has imported this file`
        : `${file}: ${count(accepted)} rows stored, ${count(partial)} rows about a part of a test omitted, ` +
          `${count(duplicates)} duplicates, ${count(rejected)} rejected, ${count(newUnits)} new units`,
    ),
    ...(leftOut.length === 0 ? [] : ['Omitted, because the service has no test for these files:']),
    ...leftOut.map((path) => `  ${path}`),
  ]
}
