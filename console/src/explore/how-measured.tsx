import { Switch } from '../parts/switch.tsx'
import type { ControlsProps } from './controls.tsx'
import { PrefilterEffect } from './prefilter-effect.tsx'

/** The two switches that change figures without changing what they are about. */
export function HowMeasured(props: ControlsProps) {
  const { state, onChange } = props
  return (
    <fieldset>
      <legend>How</legend>
      <Switch label="Prefilter" isOn={state.prefilter} onChange={(prefilter) => onChange({ prefilter })}>
        Leaves out results judged impossible or unreliable, by rules of the metric.{' '}
        <PrefilterEffect {...props} key={JSON.stringify({ ...state, view: '', prefilter: '' })} />
      </Switch>
      <Switch label="Normalise" isOn={state.normalised} onChange={(normalised) => onChange({ normalised })}>
        Lets every hour of the day count the same. Tests run more often in the evening, when lines are busy; without
        this the evening outweighs the night.
      </Switch>
    </fieldset>
  )
}
