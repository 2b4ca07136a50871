import { useState } from 'react'
import { ApiError, asApiError } from '../api/api-error.ts'
import { exportFormats, startExport, type ExportFormat } from '../api/exports.ts'
import type { Session } from '../api/session.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { hrefOf } from '../place.ts'

type Props = {
  session: Session
  path: '/metric_data_download' | '/test_data_download'
  body: object
}

const titles: Record<ExportFormat, string> = { csv: 'CSV', 'csv.gz': 'CSV, compressed', parquet: 'Parquet' }

/** Requests a file with all rows of a request, of any size. The page "Downloads" shows its progress. */
export function MakeFile({ session, path, body }: Props) {
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [said, setSaid] = useState<ApiError | 'asking' | 'begun' | null>(null)
  const make = async () => {
    setSaid('asking')
    try {
      await startExport(session, path, body, format)
      setSaid('begun')
    } catch (error) {
      setSaid(asApiError(error))
    }
  }
  return (
    <div className="make-file">
      <p className="row">
        <select
          aria-label="Format of the file"
          value={format}
          onChange={(event) => setFormat(exportFormats.find((one) => one === event.target.value) ?? 'csv')}
        >
          {exportFormats.map((one) => (
            <option key={one} value={one}>
              {titles[one]}
            </option>
          ))}
        </select>
        <button type="button" disabled={said === 'asking'} onClick={() => void make()}>
          Make a file of all rows
        </button>
        <span className="hint" role="status">
          {said === 'begun' && (
            <>
              It is being written: see <a href={hrefOf('downloads')}>Downloads</a>.
            </>
          )}
        </span>
      </p>
      {said instanceof ApiError && <ErrorNotice error={said} />}
    </div>
  )
}
