import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import { createLog, logObservations } from '../log.ts'
import { startService } from '../service.ts'
import { settingsOf, type CommandContext } from './context.ts'

export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the service until it is told to stop (SIGTERM, SIGINT)')
    .action(async () => {
      const settings = settingsOf(context)
      const log = createLog(settings.BROADGAUGE_LOG_LEVEL)
      const service = await startService(settings, logObservations(log))
      // Five seconds more than the drain itself, for closing the stores.
      const delay = settings.BROADGAUGE_DRAIN_SECONDS * 1000 + 5_000
      closeWithGrace({ delay, logger: false }, async ({ signal, err }) => {
        if (err) log.fatal({ err }, 'unexpected error, stopping')
        await service.stop(signal ?? 'unexpected error')
      })
    })
}
