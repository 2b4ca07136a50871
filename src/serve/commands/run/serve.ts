import type { Command } from 'commander'
import { createLog, logObservations } from '../../telemetry/log.ts'
import { startService } from '../../wiring/service.ts'
import { type CommandContext, settingsOf, stopOnSignal } from '../context.ts'

export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .action(async () => {
      const settings = settingsOf(context)
      const log = createLog(settings.BROADGAUGE_LOG_LEVEL)
      const service = await startService(settings, logObservations(log))
      stopOnSignal(settings, log, service.stop)
    })
}
