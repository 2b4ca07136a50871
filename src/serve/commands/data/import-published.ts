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
      'store the raw data of Measuring Broadband America: folders or .tar.gz with curr_*.csv; run again to go on',
    )
    .requiredOption('--panel <key>', 'the panel whose agents the units are; see: broadgauge panel create')
    .option('--profile <file>', 'the unit profile, saved as CSV: ISPs, packages, zones; needs --from')
    .option('--from <day>', 'the day from which the profile holds, UTC, such as 2023-01-01')
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
  if (profile === undefined || from === undefined) throw new OperatorError('--profile and --from go together')
  try {
    return { path: profile, fromDay: Temporal.PlainDate.from(from).toString() }
  } catch (error) {
    throw new OperatorError(`--from takes a day such as 2023-01-01, not "${from}"`, error)
  }
}

const count = (number: number): string => number.toLocaleString('en')

const describeProfile = (profile: PublishedReport['profile'], path: string): string =>
  profile === null
    ? `${path}: this profile was taken before`
    : `${count(profile.registered)} units registered, ${count(profile.changed)} timelines written`

function describe({ profile, files, leftOut }: PublishedReport, profilePath: string | undefined): string[] {
  return [
    ...(profilePath === undefined ? [] : [describeProfile(profile, profilePath)]),
    ...files.map(({ file, skipped, accepted, duplicates, rejected, partial, newUnits }) =>
      skipped
        ? `${file}: imported before`
        : `${file}: ${count(accepted)} rows stored, ${count(partial)} about a part of a test left out, ` +
          `${count(duplicates)} repeated, ${count(rejected)} rejected, ${count(newUnits)} units new`,
    ),
    ...(leftOut.length === 0 ? [] : ['Left out, because nothing of it is stored here:']),
    ...leftOut.map((path) => `  ${path}`),
  ]
}
