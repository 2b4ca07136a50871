import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ProcessIdentity, identifyProcess, isSameProcess } from './process-identity.ts'

export type Daemon = {
  name: string
  pidFile: string
  logFile: string
  stopSignal: NodeJS.Signals
  /** Time that the daemon has to stop. After it, the daemon is killed. */
  stopBoundMs: number
  /** Ports that must be free before the daemon can start. */
  ports: number[]
}

/** Returns the process id of a running daemon. It never returns an id that the kernel has reused for another process. */
export async function runningPid(daemon: Daemon): Promise<number | undefined> {
  const identity = await readPidFile(daemon)
  return identity && (await isSameProcess(identity)) ? identity.pid : undefined
}

export async function writePidFile(daemon: Daemon, pid: number): Promise<void> {
  const identity = await identifyProcess(pid)
  if (!identity) return
  await mkdir(dirname(daemon.pidFile), { recursive: true })
  await writeFile(daemon.pidFile, JSON.stringify(identity))
}

export async function removePidFile(daemon: Daemon): Promise<void> {
  await rm(daemon.pidFile, { force: true })
}

async function readPidFile(daemon: Daemon): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(daemon.pidFile, 'utf8')) as ProcessIdentity
  } catch {
    return undefined
  }
}
