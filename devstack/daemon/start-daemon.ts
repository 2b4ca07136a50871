import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Daemon, writePidFile } from './daemon.ts'

export type Command = {
  program: string
  arguments: string[]
  environment?: Record<string, string>
}

/** The line that marks each start of a daemon in its log. */
export const startMarker = '--- devstack starts'

/**
 * Starts a process that continues to run when this process ends. It appends to the log, so that the log still shows why the
 * daemon ended last time.
 */
export async function startDaemon(daemon: Daemon, command: Command): Promise<void> {
  await mkdir(dirname(daemon.logFile), { recursive: true })
  const log = await open(daemon.logFile, 'a', 0o600)
  try {
    await log.write(`${startMarker} ${daemon.name} at ${new Date().toISOString()}\n`)
    const child = spawn(command.program, command.arguments, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      // The developer's own settings, such as PGPORT, AWS_PROFILE and CEPH_ARGS, must not reach a store.
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...command.environment },
    })
    await once(child, 'spawn')
    child.unref()
    await writePidFile(daemon, child.pid as number)
  } finally {
    await log.close()
  }
}
