import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProcessesIn, identifyProcess } from '../daemon/process-identity.ts'

const orphansEndMs = 5_000

/**
 * Removes the lock file of a killed server. While the killed process is a zombie (in some containers forever), PostgreSQL
 * treats the file as the lock of a running server. The file is removed only when no process has the data directory as its
 * working directory. A backend can outlive its server for a moment, and must never run beside a second server.
 */
export async function removeStaleLock(dataDirectory: string): Promise<void> {
  const lockFile = join(dataDirectory, 'postmaster.pid')
  const content = await readFile(lockFile, 'utf8').catch(() => undefined)
  if (content === undefined) return
  if (await identifyProcess(Number.parseInt(content, 10))) return
  const deadline = Date.now() + orphansEndMs
  for (;;) {
    const orphans = await findProcessesIn(dataDirectory)
    if (orphans.length === 0) break
    if (Date.now() > deadline) return
    // A backend that was forked while its server was killed continues its statement until the statement ends, so kill it.
    for (const pid of orphans) endOrphan(pid)
    await sleep(20)
  }
  await rm(lockFile, { force: true })
}

function endOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
