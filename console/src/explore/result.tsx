import { metricOf, presetOf, type Listings } from '../api/listings.ts'
import { Empty, ErrorNotice, Loading, Warnings } from '../parts/notice.tsx'
import { views, type ExploreState, type View } from './explore-state.ts'
import { Picture } from './picture.tsx'
import { PresetTable } from './preset-table.tsx'
import type { MetricData } from './use-metric-data.ts'

type Props = {
  data: MetricData
  listings: Listings
  state: ExploreState
  onChange: (changes: Partial<ExploreState>) => void
  onRetry: () => void
}

const titles: Record<View, string> = { mean: 'Mean and 95 % interval', percentiles: 'Percentiles', table: 'Table' }

/** Shows the response as a drawing, or the reason why there is none. */
export function Result({ data, listings, state, onChange, onRetry }: Props) {
  const { answered, error, isLoading } = data
  if (error !== null) {
    return (
      <ErrorNotice error={error}>
        <button type="button" onClick={onRetry} disabled={isLoading}>
          {isLoading ? 'Loading …' : 'Ask again'}
        </button>
      </ErrorNotice>
    )
  }
  if (answered === null) return <Loading what="the answer" />
  const { request, answer, warnings } = answered
  return (
    <>
      <div className="views" {...(request.preset === undefined ? { role: 'radiogroup', 'aria-label': 'View' } : {})}>
        {request.preset === undefined &&
          views.map((view) => (
            <label key={view}>
              <input type="radio" name="view" checked={state.view === view} onChange={() => onChange({ view })} />{' '}
              {titles[view]}
            </label>
          ))}
        <span className="hint" role="status">
          {isLoading ? 'Loading …' : `Answered in ${(answered.milliseconds / 1000).toFixed(2)} s`}
        </span>
      </div>
      <Warnings warnings={warnings} />
      {!answer.some(({ metricData }) => metricData.length > 0) ? (
        <Empty title="No results.">
          Nothing was measured that matches. Widen the range, remove a filter, or try without the prefilter.
        </Empty>
      ) : request.preset === undefined ? (
        <Picture answered={answered} metric={metricOf(listings.metrics, request.metric)} view={state.view} />
      ) : (
        <PresetTable answered={answered} preset={presetOf(listings.presets, request.preset)} />
      )}
    </>
  )
}
