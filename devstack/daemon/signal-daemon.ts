import { setTimeout as sleep } from 'node:timers/promises'
import { type Daemon, removePidFile, runningPid } from './daemon.ts'
import { findChildren, identifyProcess } from './process-identity.ts'

const killedStopMs = 5_000

/** Asks politely, insists after a bound, returns when the process is gone. */
export async function stopDaemon(daemon: Daemon): Promise<void> {
  const pid = await runningPid(daemon)
  if (pid !== undefined) {
    const children = await findChildren(pid)
    // A stopped process does not see the polite signal until it is continued.
    sendSignals([...children, pid], 'SIGCONT')
    sendSignals([pid], daemon.stopSignal)
    if (!(await goneWithin([pid], daemon.stopBoundMs))) await killFamily(pid)
  }
  await removePidFile(daemon)
}

/** Sends any signal to the daemon and its children; after SIGKILL it waits until all are gone and the ports free. */
export async function signalDaemon(daemon: Daemon, signal: NodeJS.Signals): Promise<void> {
  const pid = await runningPid(daemon)
  if (pid === undefined) return
  if (signal === 'SIGKILL') await killFamily(pid)
  else sendSignals([pid, ...(await findChildren(pid))], signal)
}

async function killFamily(pid: number): Promise<void> {
  const family = [pid, ...(await findChildren(pid))]
  sendSignals(family, 'SIGKILL')
  if (!(await goneWithin(family, killedStopMs))) throw new Error(`Process ${pid} survives SIGKILL.`)
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

async function goneWithin(pids: number[], boundMs: number): Promise<boolean> {
  const deadline = Date.now() + boundMs
  while (Date.now() < deadline) {
    const alive = await Promise.all(pids.map(identifyProcess))
    if (alive.every((identity) => identity === undefined)) return true
    await sleep(20)
  }
  return false
}
