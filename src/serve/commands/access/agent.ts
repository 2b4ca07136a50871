import type { Command } from 'commander'
import { agentColumns, checkAgentRow } from '../../../check/rows/agent-row.ts'
import { findAgents, readAgent } from '../../../engine/postgres/operator/agents.ts'
import { importAgents } from '../../../engine/postgres/operator/import-agents.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { eraseAgent } from '../../tasks/erase-agent.ts'
import { print, withProgress } from '../../output.ts'
import { exactly, readLines } from '../../tasks/read-lines.ts'
import { answer, firstOf, printerOf, settingsOf, type CommandContext } from '../context.ts'

type Options = { json?: boolean }
type EraseOptions = Options & { yes?: boolean }

export function addAgentCommands(program: Command, context: CommandContext): void {
  const agent = program.command('agent').description('measurement agents')
  agent
    .command('import <panel> <file>')
    .description(`register agents from a CSV file with a header; columns: ${agentColumns.join(', ')}`)
    .option('--json', 'print JSON')
    .action((panel: string, file: string, options: Options) =>
      answer(
        context,
        options,
        (operator) =>
          withProgress('agents', (update) =>
            importAgents(operator, panel, readLines(file, exactly(agentColumns), checkAgentRow), update),
          ),
        ({ lines, created, changed }) =>
          `${lines} lines: ${created} agents registered, ${changed} agents set to the values of the file`,
      ),
    )
  agent
    .command('read <agent_id>')
    .description('show one agent')
    .option('--json', 'print JSON')
    .action((agentId: string, options: Options) => answer(context, options, (operator) => readAgent(operator, agentId)))
  agent
    .command('list <panel>')
    .description('list agents of a panel, in the order in which they were registered')
    .option('--limit <number>', 'maximum number of rows', '100')
    .option('--json', 'print JSON')
    .action((panel: string, options: Options & { limit: string }) =>
      answer(context, options, (operator) =>
        firstOf(context, options.limit, (rowsMax) => findAgents(operator, panel, rowsMax)),
      ),
    )
  agent
    .command('erase <agent_id>')
    .description(
      'erase an agent permanently: its results and metadata, its mentions in the audit trail, and all exports that may contain it',
    )
    .option('--yes', 'confirm; without this option, the command fails and erases nothing')
    .option('--json', 'print JSON')
    .action(async (agentId: string, options: EraseOptions) => {
      if (options.yes !== true) throw new OperatorError(`This cannot be undone. To erase ${agentId}, add --yes.`)
      const proof = await eraseAgent(settingsOf(context), agentId, context.pause)
      print(printerOf(context, options), proof)
    })
}
