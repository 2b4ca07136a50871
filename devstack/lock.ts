import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type Server, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const lockWaitMs = 120_000

/**
 * Runs one piece of work at a time for a directory, over all processes of the machine.
 * The lock is a socket in Linux's abstract namespace: the kernel frees it when its owner dies, however it dies, so
 * there is no stale lock to detect.
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
