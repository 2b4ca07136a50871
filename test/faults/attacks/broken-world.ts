import { randomBytes } from 'node:crypto'
import { stackDown, stackUp } from '../../../devstack/index.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { registerAgents } from '../metadata-panel.ts'
import { openBreakingProxy, throughProxy, type BreakingProxy } from './breaking-proxy.ts'
import { ask, type Outcome } from './broken-answer.ts'
import { openBrokenEngine } from './broken-engine.ts'
import { noLimits } from './no-limits.ts'

export const facts = 4_000

type Sent = {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  /** The maximum total time. Absent if the work takes at most 30 s. */
  retryForMs?: number
}

export type BrokenWorld = {
  readonly world: World
  readonly service: Service
  readonly token: string
  /** The proxy between the service and the store. */
  readonly proxy: BreakingProxy
  /** All proxies. If the store is the object storage, there is a second proxy between ClickHouse and the storage. */
  readonly proxies: readonly BreakingProxy[]
  readonly send: (path: string, sent?: Sent) => Promise<Outcome>
  /** Starts ClickHouse again if it has exited. Returns true if it had exited. */
  readonly revive: () => Promise<boolean>
  readonly close: () => Promise<void>
}

type Store = 'POSTGRES_URL' | 'CLICKHOUSE_URL' | 'S3_ENDPOINT'

/**
 * A service that reaches one of its stores through a proxy, and an organisation with four agents and some results. If
 * the proxy breaks connections to or from ClickHouse, the world has its own ClickHouse: the development ClickHouse (a
 * library) sometimes exits.
 */
export async function openBrokenWorld(store: Store, overrides: Record<string, string> = {}): Promise<BrokenWorld> {
  const { stack, engine, engineProxy, close: closeEngines } = await openEngines(store)
  const world = await openWorld({ clickhouse: true, ...(stack === null ? {} : { stack }) })
  const own = await fill(world)
  const url = world.environment[`BROADGAUGE_${store}`] ?? ''
  const proxy = await openBreakingProxy(url, { gently: store === 'CLICKHOUSE_URL' })
  const service = await world.serve({
    ...noLimits,
    [`BROADGAUGE_${store}`]: throughProxy(url, proxy),
    // Links to files lead directly to the storage, so that the proxy does not break the test's own downloads.
    ...(store === 'S3_ENDPOINT' ? { BROADGAUGE_S3_PUBLIC_ENDPOINT: url } : {}),
    ...overrides,
  })
  const { api, ingest } = service.addresses
  return {
    world,
    service,
    token: own,
    proxy,
    proxies: [proxy, ...(engineProxy === null ? [] : [engineProxy])],
    send: (path, { method = 'POST', body, headers = {}, retryForMs } = {}) => {
      const asked = {
        method,
        token: own,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }
      return ask(`${path.startsWith('/ingest') ? ingest : api}${path}`, asked, retryForMs)
    },
    revive: async () => (await engine?.revive()) ?? false,
    close: async () => {
      proxy.disarm()
      await world.close()
      await proxy.close()
      await closeEngines()
    },
  }
}

async function openEngines(store: Store) {
  if (store === 'POSTGRES_URL') return { stack: null, engine: null, engineProxy: null, close: async () => {} }
  const stack = await stackUp({ name: `broken-${randomBytes(3).toString('hex')}` })
  const storageUrl = stack.environment['BROADGAUGE_S3_ENDPOINT'] ?? ''
  const engineProxy = store === 'S3_ENDPOINT' ? await openBreakingProxy(storageUrl, { name: 'engine' }) : null
  const engine = await openBrokenEngine(stack, engineProxy)
  const close = async () => {
    await engineProxy?.close()
    await stackDown({ name: stack.name, wipe: true })
  }
  return { stack, engine, engineProxy, close }
}

/** Creates the organisation with its agents and results. Returns its token. */
async function fill(world: World): Promise<string> {
  await organisation(world, 'acme')
  const own = `Bearer ${await token(world, 'acme', ['data:read', 'metadata:read', 'metadata:write', 'ingest:write'])}`
  await world.operate((operator) => createPanel(operator, { key: 'acme', name: 'acme', owner: 'acme' }))
  await registerAgents(world, 'acme', [1, 2, 3, 4])
  await storeFacts(world, 'httpget', Array.from({ length: facts }, fact))
  return own
}

const fact = (_: unknown, index: number) => ({
  agent: `acme-${1 + (index % 4)}`,
  dtime: new Date(Date.UTC(2026, 0, 5) + index * 1000).toISOString().replace(/[TZ]/g, ' ').trim(),
  target: `server-${index}`,
  bytes_sec: index * 1000,
})
