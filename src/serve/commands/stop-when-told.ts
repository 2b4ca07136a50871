import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Settings } from '../config-schema.ts'

/** For closing the stores, when what was under way has had its time. */
const closingMs = 5_000

/** Runs until a signal comes, or an error that nobody caught. */
export function stopWhenTold(settings: Settings, log: Logger, stop: (reason: string) => Promise<void>): void {
  const delay = settings.BROADGAUGE_DRAIN_SECONDS * 1000 + closingMs
  closeWithGrace({ delay, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'unexpected error, stopping')
    await stop(signal ?? 'unexpected error')
  })
}
