import { setTimeout as sleep } from 'node:timers/promises'
import type { Component } from './component.ts'
import { runningPid } from './daemon/daemon.ts'

const probeDeadlineMs = 2_000
/**
 * Number of failed probes after which a component counts as unhealthy. One failed probe is not enough: after a short freeze of
 * the machine, a store that other processes use must not be stopped.
 */
const probesMax = 3

export async function isRunning(component: Component): Promise<boolean> {
  const pids = await Promise.all(component.daemons.map(runningPid))
  return pids.every((pid) => pid !== undefined)
}

/**
 * Returns true if the component responds to a request. An open connection is not enough: a stopped process still accepts
 * connections.
 */
export async function isHealthy(component: Component): Promise<boolean> {
  for (let probe = 1; probe <= probesMax; probe += 1) {
    if (!(await isRunning(component))) return false
    const answered = await withinDeadline(component.probe(probeDeadlineMs)).then(
      () => true,
      () => false,
    )
    if (answered) return true
  }
  return false
}

/** Returns when the component responds. Rejects at once if one of its processes has ended. */
export async function untilHealthy(component: Component, boundMs: number): Promise<void> {
  const deadline = Date.now() + boundMs
  let reason: unknown
  while (Date.now() < deadline) {
    if (!(await isRunning(component))) throw new Error('Its process has ended.')
    try {
      return await withinDeadline(component.probe(probeDeadlineMs))
    } catch (error) {
      reason = error
    }
    await sleep(50)
  }
  throw new Error(`It gives no answer within ${boundMs / 1000} s: ${(reason as Error | undefined)?.message}`)
}

// Each probe has its own deadline too, but the deadlines of drivers do not cover every state in which a driver can wait.
async function withinDeadline(probe: Promise<void>): Promise<void> {
  const abort = new AbortController()
  const tooLate = sleep(probeDeadlineMs * 1.5, undefined, { signal: abort.signal }).then(() => {
    throw new Error('There is no answer.')
  })
  try {
    await Promise.race([probe, tooLate])
  } finally {
    abort.abort()
    tooLate.catch(() => {})
    probe.catch(() => {})
  }
}
