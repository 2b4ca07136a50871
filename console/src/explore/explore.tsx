import { useState } from 'react'
import type { Listings } from '../api/listings.ts'
import type { Session } from '../api/session.ts'
import { MakeFile } from '../downloads/make-file.tsx'
import { Empty } from '../parts/notice.tsx'
import { changeState } from '../place.ts'
import { Controls } from './controls.tsx'
import { readState, writeState, type ExploreState } from './explore-state.ts'
import { metricRequest } from './metric-request.ts'
import { RequestPanel } from './request-panel.tsx'
import { Result } from './result.tsx'
import { useMetricData } from './use-metric-data.ts'

type Props = { session: Session; listings: Listings; state: URLSearchParams }

export function Explore({ session, listings, state: address }: Props) {
  const state = readState(address, listings.metrics[0]?.key ?? '')
  const request = metricRequest(state)
  const [attempt, setAttempt] = useState(0)
  const data = useMetricData(session, request, attempt)
  const change = (changes: Partial<ExploreState>) => changeState('explore', writeState({ ...state, ...changes }))
  if (listings.metrics.length === 0) {
    return (
      <Empty title="There is nothing to explore yet.">
        Your organisation may not ask for any metric, or no panel you can read has agents. Your operator can change
        both.
      </Empty>
    )
  }
  const metric = listings.metrics.find(({ key }) => key === state.metric) ?? null
  return (
    <div className="explore">
      <h1 className="unseen">Explore</h1>
      <Controls
        session={session}
        listings={listings}
        metric={metric}
        state={state}
        error={data.error}
        onChange={change}
      />
      <section className="result" aria-label="Result" aria-busy={data.isLoading}>
        <Result data={data} metric={metric} state={state} onChange={change} onRetry={() => setAttempt(attempt + 1)} />
        <MakeFile
          key={JSON.stringify(request)}
          session={session}
          path="/metric_data_download"
          body={request}
          what={`${metric?.name ?? state.metric}, ${state.aggregation}, ${state.from} to ${state.to}`}
        />
      </section>
      <RequestPanel
        url={`${session.dataBaseUrl.replace(/\/$/, '')}/metric_data`}
        request={request}
        answered={data.answered}
        error={data.error}
      />
    </div>
  )
}
