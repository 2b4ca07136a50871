import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

/** The `data` of a response about an export. */
export type Shown = {
  id: string
  status: 'queued' | 'running' | 'complete' | 'failed'
  url: string | null
  status_url: string
  rows: number | null
  bytes: number | null
  expires_at: string
  progress?: number
  failure?: string
}

export type ExportWorld = {
  readonly world: World
  readonly service: Service
  readonly token: string
  readonly ask: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>
  readonly read: (id: string, as?: string) => Promise<Answer>
  readonly cancel: (id: string, as?: string) => Promise<Answer>
}

/** A world with an organisation, an instance, and a synthetic panel unless `panel` is null. */
export async function openExportWorld(
  panel: { agents: number; days: number; tests?: readonly string[] } | null,
  settings: Record<string, string> = {},
): Promise<ExportWorld> {
  const world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  if (panel !== null) await synthPanel(world, { geography: 'odd-zones', ...panel, owner: 'acme' })
  const service = await world.serve(settings)
  const own = await token(world, 'acme')
  const { api } = service.addresses
  return {
    world,
    service,
    token: own,
    ask: (path, body, headers = {}) =>
      call(`${api}${path}`, {
        method: 'POST',
        token: own,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    read: (id, as = own) => call(`${api}/downloads/${id}`, { token: as }),
    cancel: (id, as = own) => call(`${api}/downloads/${id}`, { method: 'DELETE', token: as }),
  }
}

export const shownOf = ({ body }: Answer): Shown => body['data'] as Shown
