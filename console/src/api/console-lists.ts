import { call } from './call.ts'
import type { ExportState } from './exports.ts'
import type { Session } from './session.ts'

export type Panel = { readonly key: string; readonly name: string; readonly owned: boolean }

export const findPanels = (session: Session): Promise<Panel[]> =>
  call(session, { interface: 'console', method: 'GET', path: '/panels' })

export type Download = Pick<ExportState, 'id' | 'status'> & {
  readonly source: 'metric_data' | 'test_data'
  readonly format: string
  /** The fields of the request that distinguish this download from others. */
  readonly request: Readonly<Record<string, unknown>>
  readonly file_name: string
  readonly created_at: string
}

/** Downloads of the whole organisation, newest first. */
export const findDownloads = (session: Session, limit: number): Promise<Download[]> =>
  call(session, { interface: 'console', method: 'GET', path: `/downloads?limit=${limit}` })

export type FoundAgent = {
  readonly agent_id: string
  readonly unit_id: number | null
  readonly mac_address: string | null
  readonly kind: string
  readonly panel: string
}

export const agentsMax = 20

export const searchAgents = (session: Session, search: string, signal: AbortSignal): Promise<FoundAgent[]> => {
  const query = new URLSearchParams({ search, limit: String(agentsMax) })
  return call(session, { interface: 'console', token: 'metadata', method: 'GET', path: `/agents?${query}`, signal })
}
