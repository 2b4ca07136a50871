import { metricOf, type Metric } from '../api/listings.ts'
import { Empty, ErrorNotice, Loading, Warnings } from '../parts/notice.tsx'
import { views, type ExploreState, type View } from './explore-state.ts'
import { Picture } from './picture.tsx'
import type { MetricData } from './use-metric-data.ts'

type Props = {
  data: MetricData
  metrics: readonly Metric[]
  state: ExploreState
  onChange: (changes: Partial<ExploreState>) => void
  onRetry: () => void
}

const titles: Record<View, string> = { mean: 'Mean and 95 % interval', percentiles: 'Percentiles', table: 'Table' }

/** The answer as a picture, or why there is none. */
export function Result({ data, metrics, state, onChange, onRetry }: Props) {
  const { answered, error, isLoading } = data
  if (error !== null) {
    return (
      <ErrorNotice error={error}>
        <button type="button" onClick={onRetry} disabled={isLoading}>
          {isLoading ? 'Asking …' : 'Ask again'}
        </button>
      </ErrorNotice>
    )
  }
  if (answered === null) return <Loading what="the answer" />
  return (
    <>
      <div className="views" role="radiogroup" aria-label="View">
        {views.map((view) => (
          <label key={view}>
            <input type="radio" name="view" checked={state.view === view} onChange={() => onChange({ view })} />{' '}
            {titles[view]}
          </label>
        ))}
        <span className="hint" role="status">
          {isLoading ? 'Asking …' : `Answered in ${(answered.milliseconds / 1000).toFixed(2)} s`}
        </span>
      </div>
      <Warnings warnings={answered.warnings} />
      {answered.answer.some(({ metricData }) => metricData.length > 0) ? (
        <Picture answered={answered} metric={metricOf(metrics, answered.request.metric)} view={state.view} />
      ) : (
        <Empty title="No results.">
          Nothing was measured that fits. Widen the range, remove a filter, or try without the prefilter.
        </Empty>
      )}
    </>
  )
}
