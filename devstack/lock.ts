import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type Server, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const lockWaitMs = 120_000

/**
 * Runs `work` under a lock: only one process of the machine at a time works on a directory. The lock is a socket in Linux's
 * abstract namespace. The kernel releases it when its owner ends for any reason, so there are no stale locks.
 */
export async function withLock<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const lock = await acquire(directory)
  try {
    return await work()
  } finally {
    lock.close()
  }
}

async function acquire(directory: string): Promise<Server> {
  const address = `\0broadgauge-devstack-${createHash('sha256').update(directory).digest('hex').slice(0, 32)}`
  const deadline = Date.now() + lockWaitMs
  while (Date.now() < deadline) {
    const server = await tryListen(address)
    if (server) return server
    await sleep(100)
  }
  throw new Error(`Another devstack command has been working on ${directory} for ${lockWaitMs / 1000} s.`)
}

async function tryListen(address: string): Promise<Server | undefined> {
  const server = createServer().listen(address)
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}
