import { useState } from 'react'
import type { Session } from '../api/session.ts'
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx'
import { hrefOf } from '../place.ts'
import { DownloadRow } from './download-row.tsx'
import { useDownloads } from './use-downloads.ts'

const step = 20
/** The maximum number of files that one request can list. */
const most = 1_000

/** The page with the organisation's files: their progress, their links, and buttons that remove them. */
export function Downloads({ session }: { session: Session }) {
  const [shown, setShown] = useState(step)
  const { downloads, error, refresh } = useDownloads(session, Math.min(shown + 1, most))
  return (
    <div className="page">
      <h1>Downloads</h1>
      {error !== null && (
        <ErrorNotice error={error}>
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </ErrorNotice>
      )}
      {downloads === null && error === null && <Loading what="the files" />}
      {downloads?.length === 0 && (
        <Empty title="There is no file.">
          “Make a file of all rows” on <a href={hrefOf('explore')}>Explore</a> and{' '}
          <a href={hrefOf('test-data')}>Test data</a> writes CSV or Parquet of any size and lists it here, for everyone
          in your organisation, until it expires.
        </Empty>
      )}
      {downloads !== null && downloads.length > 0 && (
        <ul className="downloads">
          {downloads.slice(0, shown).map((one) => (
            <DownloadRow key={one.id} session={session} download={one} onRemoved={refresh} />
          ))}
        </ul>
      )}
      {downloads !== null && downloads.length > shown && (
        <p className="row">
          <button type="button" onClick={() => setShown(shown + step)}>
            Show older ones
          </button>
        </p>
      )}
      {downloads !== null && downloads.length >= most && (
        <p className="notice quiet" role="status">
          The newest {most.toLocaleString('en')} files are listed, and there may be more.
        </p>
      )}
    </div>
  )
}
