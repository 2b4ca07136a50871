import type { Command } from 'commander'
import { catalog } from '../../../catalog/catalog.ts'
import {
  changeEntitlements,
  createOrganisation,
  findOrganisations,
  type EntitlementChange,
} from '../../../engine/postgres/operator/organisations.ts'
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
    .command('list')
    .description('list all organisations')
    .option('--json', 'print JSON')
    .action((options: Options) => answer(context, options, findOrganisations))
}

function entitlements({ tests, metrics }: Options): EntitlementChange {
  return {
    ...(tests === undefined ? {} : { tests: knownKeys('test', keyList(tests), catalog.tests) }),
    ...(metrics === undefined ? {} : { metrics: knownKeys('metric', keyList(metrics), catalog.metrics) }),
  }
}
