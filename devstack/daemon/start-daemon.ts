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

/** Parts a log into the lives of its daemon. */
export const startMarker = '--- devstack starts'

/** Starts a process that outlives this one. Its log is appended to, so that what killed the last one stays readable. */
export async function startDaemon(daemon: Daemon, command: Command): Promise<void> {
  await mkdir(dirname(daemon.logFile), { recursive: true })
  const log = await open(daemon.logFile, 'a', 0o600)
  try {
    await log.write(`${startMarker} ${daemon.name} at ${new Date().toISOString()}\n`)
    const child = spawn(command.program, command.arguments, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      // Nothing of the developer's own settings (PGPORT, AWS_PROFILE, CEPH_ARGS …) may reach an engine.
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...command.environment },
    })
    await once(child, 'spawn')
    child.unref()
    await writePidFile(daemon, child.pid as number)
  } finally {
    await log.close()
  }
}
