import { Command } from 'commander'
import { addAgentCommands } from './commands/access/agent.ts'
import { addAuditCommands } from './commands/access/audit.ts'
import { explainErrors } from './commands/command-errors.ts'
import { addCompletionCommand } from './commands/run/completion.ts'
import type { CommandContext } from './commands/context.ts'
import { addChoicesCommand } from './commands/data/choices.ts'
import { addDemoCommand } from './commands/run/demo.ts'
import { addDoctorCommand } from './commands/run/doctor.ts'
import { addExplainCommand } from './commands/data/explain.ts'
import { addExportCommands } from './commands/data/export.ts'
import { addImportCommand } from './commands/data/import.ts'
import { addMigrateCommand } from './commands/run/migrate.ts'
import { addOrgCommands } from './commands/access/org.ts'
import { addPackageCommands } from './commands/access/package.ts'
import { addPanelCommands } from './commands/access/panel.ts'
import { addQueryCommand } from './commands/data/query.ts'
import { addQuestionCommands } from './commands/questions/question.ts'
import { addResultsCommands } from './commands/data/results.ts'
import { addRollupCommands } from './commands/data/rollup.ts'
import { addRowPoliciesCommand } from './commands/access/row-policies.ts'
import { addServeCommand } from './commands/run/serve.ts'
import { addSynthCommand } from './commands/data/synth.ts'
import { addTokenCommands } from './commands/access/token.ts'
import { addUserCommands } from './commands/access/user.ts'
import { addWorkerCommand } from './commands/run/worker.ts'
import { version } from '../http/openapi/version.ts'

/** The program depends only on its context, so that tests can run commands inside the process of the test. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('broadgauge')
    .description('Serves a broadband-measurement panel’s data and keeps its agents’ metadata.')
    .version(version, '--version', 'print the version')
    // An option belongs to the command that precedes it.
    .enablePositionalOptions()
    .option('--no-color', 'print no colours; may be anywhere in the command')
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
  addQuestionCommands(program, context)
  addChoicesCommand(program, context)
  addDemoCommand(program)
  addCompletionCommand(program, context)
  addRowPoliciesCommand(program, context)
  addDoctorCommand(program, context)
  explainErrors(program, context.paintError)
  return program
}
