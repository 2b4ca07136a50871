import type { Command } from 'commander'
import { findAilments } from '../../doctor/doctor.ts'
import { print } from '../../output.ts'
import { printerOf, settingsOf, type CommandContext } from '../context.ts'

export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'check settings, stores, versions, privileges, migrations, dictionaries, row policies and clocks; change nothing',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const findings = await findAilments(settingsOf(context))
      print(printerOf(context, options), findings)
      if (findings.some(({ state }) => state === 'wrong')) context.exitWith?.(1)
    })
}
