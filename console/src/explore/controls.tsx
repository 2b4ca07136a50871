import type { ApiError } from '../api/api-error.ts'
import type { Listings, Metric } from '../api/listings.ts'
import type { Session } from '../api/session.ts'
import { FieldErrors } from '../parts/notice.tsx'
import { aggregations, aggregationOf } from './aggregations.ts'
import type { ExploreState } from './explore-state.ts'
import { FilterEditor } from './filter-editor.tsx'
import { HowMeasured } from './how-measured.tsx'
import { MetricChoice } from './metric-choice.tsx'
import { PanelPicker } from '../parts/panel-picker.tsx'
import { RangePicker } from './range-picker.tsx'
import { SplitPicker } from './split-picker.tsx'

export type ControlsProps = {
  session: Session
  listings: Listings
  metric: Metric | null
  state: ExploreState
  error: ApiError | null
  onChange: (changes: Partial<ExploreState>) => void
}

/** Everything that can be turned. Each control says beside itself what the service found wrong with it. */
export function Controls(props: ControlsProps) {
  const { state, error, onChange } = props
  return (
    <form className="controls" aria-label="What to show" onSubmit={(event) => event.preventDefault()}>
      <MetricChoice {...props} />
      <div className="field">
        <label htmlFor="aggregation">Points</label>
        <select
          id="aggregation"
          value={state.isRaw ? 'raw' : state.aggregation}
          onChange={(event) => onChange(pointsOf(event.target.value))}
        >
          {aggregations.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
          <option value="raw" disabled={props.metric?.aggregatedOnly === true && !state.isRaw}>
            Every single result
          </option>
        </select>
        <FieldErrors error={error} path="aggregation" />
        <FieldErrors error={error} path="chartType" />
      </div>
      <RangePicker {...props} />
      <SplitPicker {...props} />
      <FilterEditor {...props} />
      <HowMeasured {...props} />
      <PanelPicker
        panels={props.listings.panels}
        chosen={state.panels}
        error={error}
        onChange={(panels) => onChange({ panels })}
      />
    </form>
  )
}

const pointsOf = (text: string): Partial<ExploreState> =>
  text === 'raw' ? { isRaw: true } : { isRaw: false, aggregation: aggregationOf(text).key }
