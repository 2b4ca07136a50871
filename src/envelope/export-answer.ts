import type { Warning } from '../base/warning.ts'

/** The fields of an export that the response contains. */
type ShownExport = {
  readonly id: string
  readonly status: string
  readonly progress: number
  readonly rows: number | null
  readonly bytes: number | null
  readonly failure: string | null
  readonly warnings: readonly Warning[]
  readonly expires_at: Date
}

export type ExportAnswer = {
  id: string
  status: string
  url: string | null
  /** Path of the export's status, relative to the base URL of the API. */
  status_url: string
  rows: number | null
  bytes: number | null
  expires_at: string
  progress?: number
  failure?: string
  warnings?: readonly Warning[]
}

/** The response about one export. `url` is null until the export is complete. */
export const exportAnswer = (shown: ShownExport, url: string | null): ExportAnswer => ({
  id: shown.id,
  status: shown.status,
  url,
  status_url: `/downloads/${shown.id}`,
  rows: shown.rows,
  bytes: shown.bytes,
  expires_at: shown.expires_at.toISOString(),
  ...(shown.status === 'running' ? { progress: shown.progress } : {}),
  ...(shown.failure === null ? {} : { failure: shown.failure }),
  ...(shown.warnings.length === 0 ? {} : { warnings: shown.warnings }),
})
