import type { Session } from '../api/session.ts'
import { Empty } from '../parts/notice.tsx'
import { hrefOf } from '../place.ts'
import { DownloadRow } from './download-row.tsx'
import { useHistory } from './history.ts'

/** Files that were asked for in this tab: how far they are, where they are, and how to be rid of them. */
export function Downloads({ session }: { session: Session }) {
  const asked = useHistory()
  return (
    <div className="page">
      <h1>Downloads</h1>
      {asked.length === 0 ? (
        <Empty title="No file has been asked for in this tab.">
          “Make a file of all rows” on <a href={hrefOf('explore')}>Explore</a> and{' '}
          <a href={hrefOf('test-data')}>Test data</a> writes CSV or Parquet of any size and lists it here until you sign
          out.
        </Empty>
      ) : (
        <ul className="downloads">
          {asked.map((one) => (
            <DownloadRow key={one.id} session={session} asked={one} />
          ))}
        </ul>
      )}
    </div>
  )
}
