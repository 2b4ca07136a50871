import { useEffect } from 'react'
import { metricOf, type Metric } from '../api/listings.ts'
import type { MetricRequest } from '../api/metric-data.ts'
import type { RawPoint } from '../api/raw-points.ts'
import { unitSymbol } from '../chart/numbers.ts'
import { RawChart } from '../chart/raw-chart.tsx'
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx'
import { rowsMax, type Rows } from '../parts/use-rows.ts'
import type { ExploreState } from './explore-state.ts'
import { RawTable } from './raw-table.tsx'

type Props = {
  records: Rows<MetricRequest, RawPoint>
  metrics: readonly Metric[]
  /** The request according to the controls. The rows may belong to the previous request. */
  request: MetricRequest
  state: ExploreState
  onChange: (changes: Partial<ExploreState>) => void
  onStart: () => void
  onStop: () => void
}

/**
 * If controls change several times within this time, only one request is sent. The time is longer than for aggregated points,
 * because these responses are large.
 */
const restMs = 400

/** Shows every single result, as a dot or as a row. */
export function RawResult({ records, metrics, request, state, onChange, onStart, onStop }: Props) {
  const { asked, rows, status, error } = records
  const text = JSON.stringify(request)
  useEffect(() => {
    const timer = setTimeout(onStart, restMs)
    return () => clearTimeout(timer)
    // Only the request is a dependency: the function `start` is a new one at each render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [text])
  if (error !== null) {
    return (
      <ErrorNotice error={error}>
        <button type="button" onClick={onStart}>
          Ask again
        </button>
      </ErrorNotice>
    )
  }
  return (
    <>
      <div className="views" role="radiogroup" aria-label="View">
        {(['mean', 'table'] as const).map((view) => (
          <label key={view}>
            <input
              type="radio"
              name="view"
              checked={(state.view === 'table') === (view === 'table')}
              onChange={() => onChange({ view })}
            />{' '}
            {view === 'table' ? 'Table' : 'Dots'}
          </label>
        ))}
        <span className="hint" role="status">
          {sentence(records)}
        </span>
        {status === 'loading' && (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        )}
      </div>
      {rows.length === 0 && (status === 'loading' || status === 'idle') && <Loading what="results" />}
      {rows.length === 0 && status === 'whole' && (
        <Empty title="No results.">Nothing was measured that fits. Widen the range, or remove a filter.</Empty>
      )}
      {asked !== null &&
        rows.length > 0 &&
        (state.view === 'table' ? (
          <RawTable asked={asked} rows={rows} isArriving={status === 'loading'} />
        ) : (
          <Dots asked={asked} rows={rows} metric={metricOf(metrics, asked.metric)} />
        ))}
    </>
  )
}

const noSplits: readonly string[] = []

type DotsProps = { asked: MetricRequest; rows: readonly RawPoint[]; metric: Metric | null }

const Dots = ({ asked, rows, metric }: DotsProps) => (
  <RawChart
    rows={rows}
    splits={asked.splits ?? noSplits}
    unit={unitSymbol(metric?.unit ?? '')}
    title={`${metric?.name ?? asked.metric}, every single result`}
  />
)

function sentence({ rows, status }: Rows<MetricRequest, RawPoint>): string {
  const number = rows.length.toLocaleString('en')
  if (status === 'full')
    return `The first ${rowsMax.toLocaleString('en')} results, not all: shorten the range, or make a file of them.`
  if (status === 'stopped') return `Stopped: ${number} results, not all.`
  return status === 'whole' ? `${number} results, all there are` : `${number} results so far …`
}
