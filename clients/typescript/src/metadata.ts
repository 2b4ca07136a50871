import type { AgentMetadata, ChangePreview, MetadataChange, TimelineSpan } from './generated/types.ts'
import { readData, send, type CallOptions, type TransportOptions } from './transport.ts'

/** Identifies one agent by one of its identifiers. */
export type AgentName = { agent: string } | { unit: number } | { mac: string }

export type ChangeOptions = CallOptions & {
  /**
   * A key that identifies this change: the service applies the same change with the same key only once. The default is a new
   * key.
   */
  readonly idempotencyKey?: string
}

export type MetadataClient = {
  /** Changes all agents that match. If an error occurs, it changes none. */
  change: (change: Omit<MetadataChange, 'dry_run'>, options?: ChangeOptions) => Promise<void>
  /** Returns what a change would do, without applying it. */
  preview: (change: Omit<MetadataChange, 'dry_run'>, options?: CallOptions) => Promise<ChangePreview>
  read: (agent: AgentName, options?: CallOptions) => Promise<AgentMetadata>
  history: (agent: AgentName, options?: CallOptions) => Promise<TimelineSpan[]>
}

export const metadataClient = (transport: TransportOptions): MetadataClient => ({
  change: async (change, { idempotencyKey = crypto.randomUUID(), signal } = {}) => {
    const response = await send(transport, { method: 'PUT', path: '/metadata', body: change, idempotencyKey, signal })
    await response.body?.cancel()
  },
  preview: async (change, { signal } = {}) => {
    const body = { ...change, dry_run: true }
    return readData(await send(transport, { method: 'PUT', path: '/metadata', body, signal }))
  },
  read: async (agent, { signal } = {}) =>
    readData(await send(transport, { method: 'GET', path: pathOf(agent), signal })),
  history: async (agent, { signal } = {}) =>
    readData(await send(transport, { method: 'GET', path: `${pathOf(agent)}/history`, signal })),
})

function pathOf(agent: AgentName): string {
  const [field = '', value = ''] = Object.entries(agent)[0] ?? []
  return `/metadata/${field}/${encodeURIComponent(String(value))}`
}
