import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProcessesIn, identifyProcess } from '../daemon/process-identity.ts'

const orphansEndMs = 5_000

/**
 * PostgreSQL takes the lock file of a killed server for a running one as long as its process is a zombie that nobody
 * has reaped, in some containers for ever. The file is removed only when no process works in the data directory any
 * more: a backend that outlives its server for a moment must never meet a second server.
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
    // One that was forked while its server was being killed goes on with its statement, however long that takes.
    for (const pid of orphans) endOrphan(pid)
    await sleep(20)
  }
  await rm(lockFile, { force: true })
}

function endOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself meanwhile.
  }
}
