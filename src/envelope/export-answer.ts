import type { Warning } from '../base/warning.ts'

/** An export as far as an answer shows it. */
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
  /** Below the base address, like every link to the interface itself. */
  status_url: string
  rows: number | null
  bytes: number | null
  expires_at: string
  progress?: number
  failure?: string
  warnings?: readonly Warning[]
}

/** `url` is null until there is a file. */
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
