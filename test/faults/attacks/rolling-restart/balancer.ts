import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../kit/free-port.ts'
import { until } from '../../attempt.ts'

/** Debian's package `haproxy` installs it. */
const program = '/usr/sbin/haproxy'
export const canBalance = existsSync(program)

/** An instance of the service, at 127.0.0.1. */
export type Instance = { readonly name: string; readonly apiPort: number; readonly operationsPort: number }

export type Balancer = {
  /** Address at which callers reach the instances. */
  readonly address: string
  /** Waits until HAProxy sends requests to an instance, or no longer does. */
  readonly until: (instance: Instance, state: 'UP' | 'DOWN') => Promise<number>
  /** The log lines of requests that HAProxy had to repeat. */
  readonly repeated: () => string[]
  readonly close: () => Promise<void>
}

/** Starts HAProxy with the configuration of the containers. It sends an instance requests while /readyz answers 200. */
export async function startBalancer(instances: readonly Instance[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'broadgauge-balancer-'))
  const [api, operations, statistics] = await Promise.all([freePort(), freePort(), freePort()])
  const file = join(folder, 'haproxy.cfg')
  const configuration = readFileSync('.ci/containers/haproxy.cfg', 'utf8')
    .replace('socket SOCKET', `socket ${join(folder, 'socket')}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${api}`)
    .replace('127.0.0.1:8082', `127.0.0.1:${operations}`)
    .replace('127.0.0.1:8404', `127.0.0.1:${statistics}`)
    // The containers have the same ports at different addresses. These instances have different ports at the same address.
    .replaceAll(/^ +server \S+ \S+ disabled\n/gm, '')
    .replace(/^( +default-server check) port 8082 (.*)\n/m, (_, check: string, rest: string) =>
      [`${check} ${rest}`, ...instances.map(serverLine), ''].join('\n'),
    )
  writeFileSync(file, configuration)
  const child = spawn(program, ['-db', '-f', file], { stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const stateOf = async ({ name }: Instance): Promise<string> => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`)
    const response = await fetch(`http://127.0.0.1:${statistics}/;csv`).catch(() => null)
    const row = (await response?.text())?.split('\n').find((line) => line.startsWith(`api,${name},`))
    return row?.split(',')[17] ?? 'unknown'
  }
  return {
    address: `http://127.0.0.1:${api}`,
    until: (instance, state) => until(async () => (await stateOf(instance)).startsWith(state), 60_000, 100),
    repeated: () => said.split('\n').filter((line) => /retries=\+?[1-9]/.test(line)),
    close: async () => {
      if (child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true })
    },
  }
}

const serverLine = ({ name, apiPort, operationsPort }: Instance): string =>
  `  server ${name} 127.0.0.1:${apiPort} port ${operationsPort}`
