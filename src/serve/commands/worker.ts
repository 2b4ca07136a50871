import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import { createLog, logObservations } from '../log.ts'
import { startWorker } from '../worker.ts'
import { settingsOf, type CommandContext } from './context.ts'

export function addWorkerCommand(program: Command, context: CommandContext): void {
  program
    .command('worker')
    .description('write exports, beside serve or instead of it, until told to stop (SIGTERM, SIGINT)')
    .action(async () => {
      const settings = settingsOf(context)
      const log = createLog(settings.BROADGAUGE_LOG_LEVEL)
      const worker = await startWorker(settings, logObservations(log))
      const delay = settings.BROADGAUGE_DRAIN_SECONDS * 1000 + 10_000
      closeWithGrace({ delay, logger: false }, async ({ signal, err }) => {
        if (err) log.fatal({ err }, 'unexpected error, stopping')
        await worker.stop(signal ?? 'unexpected error')
      })
    })
}
