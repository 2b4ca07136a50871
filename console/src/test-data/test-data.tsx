import type { Listings } from '../api/listings.ts'
import type { Session } from '../api/session.ts'
import { streamTestData, type TestDataRequest, type TestRecord } from '../api/test-data.ts'
import { MakeFile } from '../downloads/make-file.tsx'
import { whatOf } from '../downloads/what.ts'
import { RequestCode } from '../explore/request-code.tsx'
import { Empty, ErrorNotice } from '../parts/notice.tsx'
import { changeState } from '../place.ts'
import { RecordTable } from './record-table.tsx'
import { RequestForm } from './request-form.tsx'
import { useRows } from '../parts/use-rows.ts'

type Props = { session: Session; listings: Listings; state: URLSearchParams }

function requestOf(address: URLSearchParams, tests: readonly string[]): TestDataRequest {
  const panel = address.getAll('panel')
  return {
    test: address.get('test') ?? tests[0] ?? '',
    date: { from: address.get('from') ?? '-1 days', to: address.get('to') ?? 'now' },
    ...(panel.length === 0 ? {} : { panel }),
  }
}

function change({ test, date, panel = [] }: TestDataRequest): void {
  const address = new URLSearchParams({ test, ...date })
  for (const key of panel) address.append('panel', key)
  changeState('test-data', address)
}

/** Shows single results as they are stored, one per row. */
export function TestData({ session, listings, state }: Props) {
  const request = requestOf(state, listings.tests)
  const { records, start, stop } = useRows<TestDataRequest, TestRecord>((asked, signal) =>
    streamTestData(session, asked, signal),
  )
  if (listings.tests.length === 0) {
    return (
      <Empty title="There are no test data.">
        Your organisation has access to no test, or no panel you can read has agents. Your operator can change both.
      </Empty>
    )
  }
  return (
    <div className="page">
      <h1>Test data</h1>
      <RequestForm
        tests={listings.tests}
        panels={listings.panels}
        request={request}
        error={records.error}
        isLoading={records.status === 'loading'}
        onChange={change}
        onStart={() => start(request)}
        onStop={stop}
      />
      <MakeFile key={JSON.stringify(request)} session={session} path="/test_data_download" body={request} />
      <AskedBefore asked={records.asked} request={request} />
      {records.error !== null && <ErrorNotice error={records.error} />}
      <RecordTable records={records} />
      <RequestCode target={{ base: session.dataBaseUrl, path: '/test_data' }} request={request} />
    </div>
  )
}

/** A note if the form differs from the request whose response is shown: a request is sent only when the button is pressed. */
function AskedBefore({ asked, request }: { asked: TestDataRequest | null; request: TestDataRequest }) {
  if (asked === null || JSON.stringify(asked) === JSON.stringify(request)) return null
  return (
    <p className="notice quiet" role="status">
      The answer below is from the previous request: {whatOf({ source: 'test_data', request: asked })}. The form has
      changed since.
    </p>
  )
}
