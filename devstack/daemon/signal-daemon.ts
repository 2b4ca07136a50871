import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Daemon, removePidFile, runningPid } from './daemon.ts'
import { findChildren, identifyProcess } from './process-identity.ts'

const signalBoundMs = 5_000

/** Sends SIGTERM. If the process is still running after a time limit, sends SIGKILL. Returns when the process has ended. */
export async function stopDaemon(daemon: Daemon): Promise<void> {
  const pid = await runningPid(daemon)
  if (pid !== undefined) {
    const children = await findChildren(pid)
    // A process that was stopped with SIGSTOP does not receive SIGTERM until it is continued.
    sendSignals([...children, pid], 'SIGCONT')
    sendSignals([pid], daemon.stopSignal)
    if (!(await goneWithin([pid], daemon.stopBoundMs))) await killFamily(pid)
  }
  await removePidFile(daemon)
}

/**
 * Sends a signal to the daemon and its children. After SIGKILL, it waits until all of them have ended and the ports are free;
 * after SIGSTOP, until all their threads have stopped. On a busy machine, threads answer requests until they have the signal.
 */
export async function signalDaemon(daemon: Daemon, signal: NodeJS.Signals): Promise<void> {
  const pid = await runningPid(daemon)
  if (pid === undefined) return
  if (signal === 'SIGKILL') return killFamily(pid)
  const family = [pid, ...(await findChildren(pid))]
  sendSignals(family, signal)
  if (signal === 'SIGSTOP' && !(await within(signalBoundMs, () => areAll(family, hasStopped)))) {
    throw new Error(`Process ${pid} does not stop.`)
  }
}

async function killFamily(pid: number): Promise<void> {
  const family = [pid, ...(await findChildren(pid))]
  sendSignals(family, 'SIGKILL')
  if (!(await goneWithin(family, signalBoundMs))) throw new Error(`Process ${pid} survives SIGKILL.`)
}

function sendSignals(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const areAll = async (pids: readonly number[], is: (pid: number) => Promise<boolean>): Promise<boolean> =>
  (await Promise.all(pids.map(is))).every(Boolean)

const goneWithin = (pids: readonly number[], boundMs: number): Promise<boolean> =>
  within(boundMs, () => areAll(pids, async (pid) => (await identifyProcess(pid)) === undefined))

async function hasStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  return areAll(threads.map(Number), async (thread) => {
    const status = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')
    // The state follows the name, which is in parentheses. A thread that has just ended has no status or is a zombie.
    return status === '' || /^[TZX]/.test(status.slice(status.lastIndexOf(')') + 2))
  })
}

async function within(boundMs: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + boundMs
  while (Date.now() < deadline) {
    if (await isDone()) return true
    await sleep(20)
  }
  return false
}
