import { useState } from 'react'
import type { Warning } from '../api/call-service.ts'
import { metricOf, type Listings, type Metric } from '../api/listings.ts'
import type { MetricRequest } from '../api/metric-data.ts'
import { streamRawPoints, type RawPoint } from '../api/raw-points.ts'
import type { Session } from '../api/session.ts'
import { MakeFile } from '../downloads/make-file.tsx'
import { Empty, Warnings } from '../parts/notice.tsx'
import { useRows } from '../parts/use-rows.ts'
import { changeState } from '../place.ts'
import { Controls } from './controls.tsx'
import { readState, writeState, type ExploreState } from './explore-state.ts'
import { metricRequest } from './metric-request.ts'
import { RawResult } from './raw-result.tsx'
import { RequestCode } from './request-code.tsx'
import { RequestPanel } from './request-panel.tsx'
import { Result } from './result.tsx'
import { useMetricData } from './use-metric-data.ts'

type Props = { session: Session; listings: Listings; state: URLSearchParams }

export function Explore({ session, listings, state: address }: Props) {
  const state = readState(address, listings.metrics[0]?.key ?? '')
  const change = (changes: Partial<ExploreState>) => changeState('explore', writeState({ ...state, ...changes }))
  if (listings.metrics.length === 0) {
    return (
      <Empty title="There is nothing to explore yet.">
        Your organisation has access to no metric, or no panel you can read has agents. Your operator can change both.
      </Empty>
    )
  }
  const metric = metricOf(listings.metrics, state.metric)
  const given = { session, listings, metric, state, request: metricRequest(state), onChange: change }
  return (
    <div className="explore">
      <h1 className="unseen">Explore</h1>
      {state.isRaw ? <SingleResults {...given} /> : <Aggregates {...given} />}
    </div>
  )
}

type PartProps = {
  session: Session
  listings: Listings
  metric: Metric | null
  state: ExploreState
  request: MetricRequest
  onChange: (changes: Partial<ExploreState>) => void
}

function Aggregates(props: PartProps) {
  const { session, listings, state, request, onChange } = props
  const [attempt, setAttempt] = useState(0)
  const data = useMetricData(session, request, attempt)
  return (
    <>
      <Controls {...props} error={data.error} />
      <section className="result" aria-label="Result" aria-busy={data.isLoading}>
        <Result {...{ data, listings, state, onChange }} onRetry={() => setAttempt(attempt + 1)} />
        <AsFile {...props} />
      </section>
      <RequestPanel target={{ base: session.dataBaseUrl, path: '/metric_data' }} request={request} data={data} />
    </>
  )
}

function SingleResults(props: PartProps) {
  const { session, listings, state, request, onChange } = props
  const { metrics } = listings
  const [warnings, setWarnings] = useState<readonly Warning[]>([])
  const { records, start, stop } = useRows<MetricRequest, RawPoint>((asked, signal) =>
    streamRawPoints(session, asked, signal, setWarnings),
  )
  return (
    <>
      <Controls {...props} error={records.error} />
      <section className="result" aria-label="Result" aria-busy={records.status === 'loading'}>
        <Warnings warnings={warnings} />
        <RawResult {...{ records, metrics, request, state, onChange }} onStart={() => start(request)} onStop={stop} />
        <AsFile {...props} />
      </section>
      <RequestCode target={{ base: session.dataBaseUrl, path: '/metric_data' }} request={request} />
    </>
  )
}

const AsFile = ({ session, request }: PartProps) => (
  <MakeFile key={JSON.stringify(request)} session={session} path="/metric_data_download" body={request} />
)
