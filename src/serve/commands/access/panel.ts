import type { Command } from 'commander'
import { changeSubscription, createPanel, findPanels } from '../../../engine/postgres/operator/panels.ts'
import { answer, type CommandContext } from '../context.ts'

type Options = { json?: boolean }

export function addPanelCommands(program: Command, context: CommandContext): void {
  const panel = program.command('panel').description('manage panels: their owners and subscribers')
  panel
    .command('create <key>')
    .description('create a panel')
    .requiredOption('--owner <organisation>', 'organisation that may ingest results and change metadata')
    .option('--name <name>', 'display name (default: the key)')
    .option('--json', 'print JSON')
    .action((key: string, options: Options & { owner: string; name?: string }) =>
      answer(context, options, (operator) =>
        createPanel(operator, { key, name: options.name ?? key, owner: options.owner }),
      ),
    )
  for (const [verb, subscribed] of [
    ['subscribe', true],
    ['unsubscribe', false],
  ] as const) {
    panel
      .command(`${verb} <panel> <organisation>`)
      .description(subscribed ? 'allow an organisation to read a panel' : 'end the subscription of an organisation')
      .option('--json', 'print JSON')
      .action((key: string, organisation: string, options: Options) =>
        answer(context, options, (operator) => changeSubscription(operator, { panel: key, organisation, subscribed })),
      )
  }
  panel
    .command('list')
    .description('list all panels')
    .option('--json', 'print JSON')
    .action((options: Options) => answer(context, options, findPanels))
}
