import { randomBytes } from 'node:crypto'
import { stackDown, stackStatus, stackUp, startComponent } from '../../../devstack/index.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/service.ts'
import type { Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { attempt } from '../attempt.ts'
import { registerAgents } from '../metadata-panel.ts'
import { openBreakingProxy, throughProxy, type BreakingProxy } from './breaking-proxy.ts'
import { noLimits } from './no-limits.ts'

export const facts = 4_000

type Sent = { method?: string; body?: unknown; headers?: Record<string, string> }

export type BrokenWorld = {
  readonly world: World
  readonly service: Service
  readonly token: string
  readonly proxy: BreakingProxy
  readonly send: (path: string, sent?: Sent) => Promise<Answer | null>
  /** Starts ClickHouse again if it has ended itself; whether it had. */
  readonly revive: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/**
 * A service that reaches one of its stores through a proxy, an organisation with four agents and some results. ClickHouse
 * is one of its own then: as we run it here, a library, it ends itself now and then when a connection breaks.
 */
export async function openBrokenWorld(
  store: 'POSTGRES_URL' | 'CLICKHOUSE_URL' | 'S3_ENDPOINT',
  overrides: Record<string, string> = {},
): Promise<BrokenWorld> {
  const stack = store === 'CLICKHOUSE_URL' ? await stackUp({ name: `broken-${randomBytes(3).toString('hex')}` }) : null
  const world = await openWorld({ clickhouse: true, ...(stack === null ? {} : { stack }) })
  await organisation(world, 'acme')
  const own = `Bearer ${await token(world, 'acme', ['data:read', 'metadata:read', 'metadata:write', 'ingest:write'])}`
  await world.operate((operator) => createPanel(operator, { key: 'acme', name: 'acme', owner: 'acme' }))
  await registerAgents(world, 'acme', [1, 2, 3, 4])
  await storeFacts(world, 'httpget', Array.from({ length: facts }, fact))
  const url = world.environment[`BROADGAUGE_${store}`] ?? ''
  const proxy = await openBreakingProxy(url, { gently: store === 'CLICKHOUSE_URL' })
  const proxied = { [`BROADGAUGE_${store}`]: throughProxy(url, proxy) }
  const service = await world.serve({ ...noLimits, ...proxied, ...overrides })
  return {
    world,
    service,
    token: own,
    proxy,
    send: (path, { method = 'POST', body, headers = {} } = {}) =>
      attempt(`${path.startsWith('/ingest') ? service.addresses.ingest : service.addresses.api}${path}`, {
        method,
        token: own,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    revive: async () => {
      const status = stack && (await stackStatus(stack)).find(({ component }) => component === 'clickhouse-1')
      if (!stack || !status || status.running) return false
      await startComponent(stack, 'clickhouse-1')
      return true
    },
    close: async () => {
      proxy.disarm()
      await world.close()
      await proxy.close()
      if (stack !== null) await stackDown({ name: stack.name, wipe: true })
    },
  }
}

const fact = (_: unknown, index: number) => ({
  agent: `acme-${1 + (index % 4)}`,
  dtime: new Date(Date.UTC(2026, 0, 5) + index * 1000).toISOString().replace(/[TZ]/g, ' ').trim(),
  target: `server-${index}`,
  bytes_sec: index * 1000,
})
