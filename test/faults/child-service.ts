import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../kit/free-port.ts'
import { attempt, until } from './attempt.ts'

/** The service in a separate process, as an operator runs it. The test can kill this process. */
export type ChildService = {
  readonly address: string
  readonly ingestAddress: string
  readonly operationsAddress: string
  readonly start: () => Promise<void>
  /** Kills the process with SIGKILL. Returns when the process has ended. */
  readonly kill: () => Promise<void>
  /** Stops the process as an operator does, with SIGTERM. */
  readonly stop: () => Promise<void>
  readonly isRunning: () => boolean
  /** How often the process has exited by itself. */
  readonly endedItself: () => number
  readonly pid: () => number | undefined
  /** The whole output of the process, over all its starts. */
  readonly said: () => string
}

/** Where the process runs. The default is this machine itself. */
export type Place = {
  /** The address at which this process reaches the service. */
  readonly address: string
  /** Command that starts another command at this place. */
  readonly prefix: readonly string[]
  readonly ports: readonly [api: number, ingest: number, operations: number]
}

export async function childService(
  environment: Readonly<Record<string, string>>,
  place?: Place,
): Promise<ChildService> {
  const { address = '127.0.0.1', prefix = [] } = place ?? {}
  const [api, ingest, operations] = place?.ports ?? (await Promise.all([freePort(), freePort(), freePort()]))
  const [program, ...programArguments] = [...prefix, process.execPath, 'src/serve/main.ts', 'serve']
  const settings = {
    PATH: process.env['PATH'] ?? '',
    // The test starts the process many times, and compilation takes half of the start time.
    NODE_COMPILE_CACHE: join(tmpdir(), 'broadgauge-test-compile-cache'),
    BROADGAUGE_LOG_LEVEL: 'warn',
    ...environment,
    BROADGAUGE_PORT: String(api),
    BROADGAUGE_INGEST_PORT: String(ingest),
    BROADGAUGE_OPS_PORT: String(operations),
  }
  let child: ChildProcess | null = null
  let said = ''
  let endings = 0
  const noteEnding = () => {
    endings += 1
  }
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (child === null || !isRunning()) return
    child.off('exit', noteEnding)
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  return {
    address: `http://${address}:${api}`,
    ingestAddress: `http://${address}:${ingest}`,
    operationsAddress: `http://${address}:${operations}`,
    start: async () => {
      const started = spawn(program, programArguments, { env: settings, stdio: 'pipe' })
      child = started
      started.on('exit', noteEnding)
      const before = said.length
      // Reading also empties the pipes. If a pipe were full, the process would block.
      for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
      await until(
        async () => {
          if (!isRunning()) throw new Error(`the service did not start: ${said.slice(before).slice(-4_000)}`)
          return (await attempt(`http://${address}:${operations}/healthz`, {}))?.status === 200
        },
        60_000,
        50,
      )
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    isRunning,
    endedItself: () => endings,
    pid: () => child?.pid,
    said: () => said,
  }
}
