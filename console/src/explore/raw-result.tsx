import { useEffect } from 'react'
import type { Metric } from '../api/listings.ts'
import type { MetricRequest } from '../api/metric-data.ts'
import type { RawPoint } from '../api/raw-points.ts'
import { RawChart } from '../chart/raw-chart.tsx'
import { splitText } from '../chart/series.ts'
import { csvLine } from '../parts/csv.ts'
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx'
import { saveFile } from '../parts/save-file.ts'
import { rowsMax, type Rows } from '../parts/use-rows.ts'
import { VirtualTable, type Column } from '../parts/virtual-table.tsx'
import type { ExploreState } from './explore-state.ts'

type Props = {
  records: Rows<RawPoint>
  metric: Metric | null
  request: MetricRequest
  state: ExploreState
  onChange: (changes: Partial<ExploreState>) => void
  onStart: () => void
  onStop: () => void
}

/** A knob turned twice is one request; this one is larger than most. */
const restMs = 400

/** Every single result, as a dot or as a row. */
export function RawResult({ records, metric, request, state, onChange, onStart, onStop }: Props) {
  const { rows, status, error } = records
  const text = JSON.stringify(request)
  useEffect(() => {
    const timer = setTimeout(onStart, restMs)
    return () => clearTimeout(timer)
    // The request is what counts; whoever starts it is made anew at each drawing of the page.
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
  const title = `${metric?.name ?? request.metric}, every single result`
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
      {rows.length > 0 && state.view !== 'table' && (
        <RawChart rows={rows} splits={request.splits ?? []} unit={metric?.unit ?? ''} title={title} />
      )}
      {rows.length > 0 && state.view === 'table' && <RawTable rows={rows} request={request} />}
    </>
  )
}

function sentence({ rows, status }: Rows<RawPoint>): string {
  const number = rows.length.toLocaleString('en')
  if (status === 'full')
    return `The first ${rowsMax.toLocaleString('en')} results, not all: shorten the range, or make a file of them.`
  if (status === 'stopped') return `Stopped: ${number} results, not all.`
  return status === 'whole' ? `${number} results, all there are` : `${number} results so far …`
}

function RawTable({ rows, request }: { rows: readonly RawPoint[]; request: MetricRequest }) {
  const columns: Column<RawPoint>[] = [
    ...['dtime', 'agent', 'unit'].map((id) => ({ title: id, value: (point: RawPoint) => point[id] })),
    { title: 'metricValue', value: (point) => point.metricValue, isNumber: true },
    ...(request.splits ?? []).map((id) => ({
      title: id,
      value: (point: RawPoint) => point[id],
      text: (point: RawPoint) => splitText(point[id]),
    })),
  ]
  const save = () =>
    saveFile(`${request.metric}-raw.csv`, 'text/csv;charset=utf-8', [
      csvLine(columns.map(({ title }) => title)),
      ...rows.map((row) => csvLine(columns.map(({ value }) => value(row)))),
    ])
  return (
    <>
      <p className="row">
        <button type="button" onClick={save}>
          Save these rows as CSV
        </button>
      </p>
      <VirtualTable label="Every result" columns={columns} rows={rows} />
    </>
  )
}
