import { useState } from 'react'
import { ApiError, asApiError } from '../api/api-error.ts'
import type { Download } from '../api/console-lists.ts'
import { removeExport, type ExportState } from '../api/exports.ts'
import type { Session } from '../api/session.ts'
import { count } from '../chart/numbers.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { useExport } from './use-export.ts'
import { whatOf } from './what.ts'

type Props = { session: Session; download: Download; onRemoved: () => void }

export function DownloadRow({ session, download, onRemoved }: Props) {
  const { state, error } = useExport(session, download.id)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const isGone = error?.status === 404
  const remove = async () => {
    try {
      if (!isGone) await removeExport(session, download.id)
      onRemoved()
    } catch (fault) {
      // Another user of the organisation has already removed the file.
      if (fault instanceof ApiError && fault.status === 404) onRemoved()
      else setFailure(asApiError(fault))
    }
  }
  const isUnderWay = state === null || state.status === 'queued' || state.status === 'running'
  const what = whatOf(download)
  return (
    <li aria-label={what}>
      <div className="row">
        <strong>{what}</strong>
        <span className="hint">
          {download.format}, asked for on {new Date(download.created_at).toLocaleString('en-GB')}
        </span>
      </div>
      <div className="row" role="status">
        {isGone ? 'The file no longer exists: it was removed, or it has expired.' : <Progress state={state} />}
      </div>
      {error !== null && !isGone && <ErrorNotice error={error} />}
      {failure !== null && <ErrorNotice error={failure} />}
      <div className="row">
        {typeof state?.url === 'string' && !isGone && (
          <a className="button" href={state.url} download rel="noreferrer">
            Download
          </a>
        )}
        <button type="button" onClick={() => void remove()}>
          {isUnderWay && !isGone ? 'Cancel' : 'Remove'}
        </button>
      </div>
    </li>
  )
}

function Progress({ state }: { state: ExportState | null }) {
  if (state === null) return 'Loading …'
  if (state.status === 'queued') return 'Queued …'
  if (state.status === 'failed') return <span className="field-error">It failed. {state.failure}</span>
  if (state.status === 'running') {
    return (
      <>
        <progress aria-label="Written" max={1} value={state.progress ?? 0} /> {Math.round(100 * (state.progress ?? 0))}{' '}
        %
      </>
    )
  }
  const until = state.expires_at === null ? '' : `, kept until ${new Date(state.expires_at).toLocaleString('en-GB')}`
  return `Complete: ${count(state.rows ?? 0)} rows, ${bytesText(state.bytes ?? 0)}${until}`
}

const bytesText = (bytes: number): string =>
  bytes < 100_000 ? `${count(bytes)} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`
