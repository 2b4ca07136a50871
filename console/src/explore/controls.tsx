import { FieldErrors } from '../parts/notice.tsx'
import { aggregations, aggregationOf } from './aggregations.ts'
import type { ControlsProps } from './controls-props.ts'
import type { ExploreState } from './explore-state.ts'
import { FilterEditor } from './filter-editor.tsx'
import { HowMeasured } from './how-measured.tsx'
import { MetricChoice } from './metric-choice.tsx'
import { PresetChoice } from './preset-choice.tsx'
import { PanelPicker } from '../parts/panel-picker.tsx'
import { RangePicker } from './range-picker.tsx'
import { SplitPicker } from './split-picker.tsx'

/** All controls. Next to each control are the service's errors about it. */
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
      <PresetChoice {...props} />
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
