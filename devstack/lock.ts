import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type Server, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const lockWaitMs = 120_000

/**
 * Runs `work` under a lock: only one process of the machine at a time works on a directory. The lock is a listening socket. On
 * Linux it is in the abstract namespace, so the kernel releases it when its owner ends for any reason. On other systems it is a
 * file; the file of an owner that has ended is removed.
 */
export async function withLock<Result>(
  directory: string,
  work: () => Promise<Result>,
  platform: string = process.platform,
): Promise<Result> {
  const lock = await acquire(directory, platform)
  try {
    return await work()
  } finally {
    lock.close()
  }
}

function lockAddress(directory: string, platform: string): string {
  const name = `broadgauge-devstack-${createHash('sha256').update(directory).digest('hex').slice(0, 32)}`
  return platform === 'linux' ? `\0${name}` : join(tmpdir(), name)
}

async function acquire(directory: string, platform: string): Promise<Server> {
  const address = lockAddress(directory, platform)
  const deadline = Date.now() + lockWaitMs
  while (Date.now() < deadline) {
    const server = await tryListen(address)
    if (server) return server
    if (platform !== 'linux' && !(await isListening(address))) await rm(address, { force: true })
    else await sleep(100)
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

async function isListening(address: string): Promise<boolean> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
