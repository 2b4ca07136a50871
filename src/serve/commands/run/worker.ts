import type { Command } from 'commander'
import { createLog, logObservations } from '../../telemetry/log.ts'
import { startWorker } from '../../wiring/worker.ts'
import { type CommandContext, settingsOf, stopWhenTold } from '../context.ts'

export function addWorkerCommand(program: Command, context: CommandContext): void {
  program
    .command('worker')
    .description('write exports, beside serve or instead of it, until told to stop (SIGTERM, SIGINT)')
    .action(async () => {
      const settings = settingsOf(context)
      const log = createLog(settings.BROADGAUGE_LOG_LEVEL)
      const worker = await startWorker(settings, logObservations(log))
      stopWhenTold(settings, log, worker.stop)
    })
}
