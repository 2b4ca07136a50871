import { call } from './call.ts'
import { randomKey } from './random-key.ts'
import type { Session } from './session.ts'

export const exportFormats = ['csv', 'csv.gz', 'parquet'] as const
export type ExportFormat = (typeof exportFormats)[number]

export type ExportState = {
  readonly id: string
  readonly status: 'queued' | 'running' | 'complete' | 'failed'
  readonly url: string | null
  readonly rows: number | null
  readonly bytes: number | null
  readonly expires_at: string | null
  readonly progress?: number
  readonly failure?: string
}

/** Requests a file with the result of a request that the page also shows. */
export const startExport = (
  session: Session,
  path: '/metric_data_download' | '/test_data_download',
  body: object,
  format: ExportFormat,
): Promise<ExportState> =>
  call(session, {
    interface: 'data',
    method: 'POST',
    path,
    body: { ...body, format },
    // The browser may repeat a request by itself when a connection breaks. With the key, the service still writes only one
    // file.
    headers: { 'idempotency-key': randomKey() },
  })

export const readExport = (session: Session, id: string): Promise<ExportState> =>
  call(session, { interface: 'data', method: 'GET', path: `/downloads/${encodeURIComponent(id)}` })

export const removeExport = (session: Session, id: string): Promise<unknown> =>
  call(session, { interface: 'data', method: 'DELETE', path: `/downloads/${encodeURIComponent(id)}` })
