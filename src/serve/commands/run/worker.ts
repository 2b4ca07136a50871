import type { Command } from 'commander'
import { createLog, logObservations } from '../../telemetry/log.ts'
import { startWorker } from '../../wiring/worker.ts'
import { type CommandContext, settingsOf, stopOnSignal } from '../context.ts'

export function addWorkerCommand(program: Command, context: CommandContext): void {
  program
    .command('worker')
    .description('write exports until SIGTERM or SIGINT; serve also writes exports, unless BROADGAUGE_EXPORTS_MAX is 0')
    .action(async () => {
      const settings = settingsOf(context)
      const log = createLog(settings.BROADGAUGE_LOG_LEVEL)
      const worker = await startWorker(settings, logObservations(log))
      stopOnSignal(settings, log, worker.stop)
    })
}
