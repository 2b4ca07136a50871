import type { Command } from 'commander'
import { catalog } from '../../../catalog/catalog.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import {
  changeEntitlements,
  changeFrameOrigins,
  createOrganisation,
  findOrganisations,
  type EntitlementChange,
} from '../../../engine/postgres/operator/organisations.ts'
import { origins } from '../../setting-types.ts'
import { answer, keyList, knownKeys, type CommandContext } from '../context.ts'

type Options = { json?: boolean; name?: string; tests?: string; metrics?: string }

export function addOrgCommands(program: Command, context: CommandContext): void {
  const org = program.command('org').description('manage organisations and what they may query')
  org
    .command('create <key>')
    .description('create an organisation; it may query every test and metric unless --tests or --metrics limit it')
    .option('--name <name>', 'display name (default: the key)')
    .option('--tests <keys>', 'tests that it may query: comma-separated keys, or "all"', 'all')
    .option('--metrics <keys>', 'metrics that it may query: comma-separated keys, or "all"', 'all')
    .option('--json', 'print JSON')
    .action((key: string, options: Options) => {
      const { tests = ['*'], metrics = ['*'] } = entitlements(options)
      return answer(context, options, (operator) =>
        createOrganisation(operator, { key, name: options.name ?? key, tests, metrics }),
      )
    })
  org
    .command('entitle <key>')
    .description('replace the tests or metrics that an organisation may query, from its next request on')
    .option('--tests <keys>', 'tests that it may query: comma-separated keys, "all", or "" for none')
    .option('--metrics <keys>', 'metrics that it may query: comma-separated keys, "all", or "" for none')
    .option('--json', 'print JSON')
    .action((key: string, options: Options) =>
      answer(context, options, (operator) => changeEntitlements(operator, key, entitlements(options))),
    )
  org
    .command('frame <key>')
    .description('replace the origins whose pages may show share links of an organisation in a frame')
    .requiredOption('--origins <origins>', 'comma-separated origins, such as https://www.example.org, or "" for none')
    .option('--json', 'print JSON')
    .action((key: string, options: Options & { origins: string }) =>
      answer(context, options, (operator) => changeFrameOrigins(operator, key, originList(options.origins))),
    )
  org
    .command('list')
    .description('list all organisations')
    .option('--json', 'print JSON')
    .action((options: Options) => answer(context, options, findOrganisations))
}

function originList(text: string): readonly string[] {
  const { data, success } = origins.safeParse(text)
  // A semicolon, which a host name may contain for URLs, would end the directive of the Content-Security-Policy.
  if (!success || data.some((origin) => origin.includes(';')))
    throw new OperatorError('--origins takes origins such as https://www.example.org, comma-separated')
  return data
}

function entitlements({ tests, metrics }: Options): EntitlementChange {
  return {
    ...(tests === undefined ? {} : { tests: knownKeys('test', keyList(tests), catalog.tests) }),
    ...(metrics === undefined ? {} : { metrics: knownKeys('metric', keyList(metrics), catalog.metrics) }),
  }
}
