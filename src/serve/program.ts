import { Command } from 'commander'
import { addAgentCommands } from './commands/agent.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addCompletionCommand } from './commands/completion.ts'
import type { CommandContext } from './commands/context.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addExplainCommand } from './commands/explain.ts'
import { addExportCommands } from './commands/export.ts'
import { addImportCommand } from './commands/import.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addOrgCommands } from './commands/org.ts'
import { addPackageCommands } from './commands/package.ts'
import { addPanelCommands } from './commands/panel.ts'
import { addQueryCommand } from './commands/query.ts'
import { addResultsCommands } from './commands/results.ts'
import { addRollupCommands } from './commands/rollup.ts'
import { addRowPoliciesCommand } from './commands/row-policies.ts'
import { addServeCommand } from './commands/serve.ts'
import { addSynthCommand } from './commands/synth.ts'
import { addTokenCommands } from './commands/token.ts'
import { addUserCommands } from './commands/user.ts'
import { addWorkerCommand } from './commands/worker.ts'
import { version } from '../http/openapi/version.ts'

/** The command line. Built from its context alone, so that tests run it without a process. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('broadgauge')
    .description('Serves a broadband-measurement panel’s data and keeps its agents’ metadata.')
    .version(version, '--version', 'print the version and end')
    // An option belongs to the last command named before it.
    .enablePositionalOptions()
    .addHelpText('after', '\nSettings come from BROADGAUGE_* environment variables; see docs/configuration.md.')
  addServeCommand(program, context)
  addWorkerCommand(program, context)
  addMigrateCommand(program, context)
  addExplainCommand(program, context)
  addOrgCommands(program, context)
  addTokenCommands(program, context)
  addUserCommands(program, context)
  addPanelCommands(program, context)
  addAgentCommands(program, context)
  addPackageCommands(program, context)
  addImportCommand(program, context)
  addExportCommands(program, context)
  addResultsCommands(program, context)
  addRollupCommands(program, context)
  addSynthCommand(program, context)
  addAuditCommands(program, context)
  addQueryCommand(program, context)
  addDemoCommand(program)
  addCompletionCommand(program, context)
  addRowPoliciesCommand(program, context)
  addDoctorCommand(program, context)
  return program
}
