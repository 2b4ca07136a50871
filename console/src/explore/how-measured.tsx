import { Switch } from '../parts/switch.tsx'
import type { ControlsProps } from './controls-props.ts'
import { PrefilterEffect } from './prefilter-effect.tsx'

/** Two switches that change how values are computed, but not which results they describe. */
export function HowMeasured(props: ControlsProps) {
  const { state, onChange } = props
  return (
    <fieldset>
      <legend>How</legend>
      <Switch label="Prefilter" isOn={state.prefilter} onChange={(prefilter) => onChange({ prefilter })}>
        Excludes results judged impossible or unreliable, by rules of the metric.{' '}
        <PrefilterEffect {...props} key={JSON.stringify({ ...state, view: '', prefilter: '' })} />
      </Switch>
      <Switch label="Normalise" isOn={state.normalised} onChange={(normalised) => onChange({ normalised })}>
        Gives every hour of the day the same weight. Tests run more often in the evening, when lines are busy; without
        this the evening outweighs the night.
      </Switch>
    </fieldset>
  )
}
