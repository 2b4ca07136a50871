import { readFile } from 'node:fs/promises'
import type { Component } from './component.ts'
import { type Daemon, runningPid } from './daemon/daemon.ts'
import { stopDaemon } from './daemon/signal-daemon.ts'
import { startMarker } from './daemon/start-daemon.ts'
import { untilHealthy } from './health.ts'

const startBoundMs = 40_000
const logTailLines = 15

/**
 * Starts the daemons of a component that are not running. Returns when the component responds and has what the service expects.
 */
export async function start(component: Component): Promise<void> {
  try {
    await component.launch()
    await untilHealthy(component, startBoundMs)
    await component.prepare()
  } catch (cause) {
    throw new Error(await startFailure(component, cause as Error), { cause })
  }
}

/** Stops the daemons in reverse order, so that each stops before the daemons that it depends on. */
export async function stop(component: Component): Promise<void> {
  for (const daemon of component.daemons.toReversed()) await stopDaemon(daemon)
}

async function startFailure(component: Component, cause: Error): Promise<string> {
  const lines = [`${component.name} did not start: ${cause.message}`]
  for (const daemon of await daemonsToBlame(component)) {
    const tail = await logTail(daemon.logFile)
    if (tail) lines.push(`Last lines of ${daemon.logFile}:`, tail)
  }
  return lines.join('\n')
}

/** The daemons whose log explains a failure: those that have ended, or all of them if none has. */
async function daemonsToBlame({ daemons }: Component): Promise<Daemon[]> {
  const pids = await Promise.all(daemons.map(runningPid))
  const ended = daemons.filter((_, index) => pids[index] === undefined)
  return ended.length > 0 ? ended : daemons
}

async function logTail(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const lastStart = lines.findLastIndex((line) => line.startsWith(startMarker))
  const tail = lines.slice(lastStart + 1).slice(-logTailLines)
  return tail.map((line) => `  ${line}`).join('\n')
}
