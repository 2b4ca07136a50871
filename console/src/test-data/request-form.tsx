import type { ApiError } from '../api/api-error.ts'
import type { Panel } from '../api/console-lists.ts'
import type { TestDataRequest } from '../api/test-data.ts'
import { FieldErrors } from '../parts/notice.tsx'
import { PanelPicker } from '../parts/panel-picker.tsx'
import { DateRange } from './date-range.tsx'

type Props = {
  tests: readonly string[]
  panels: readonly Panel[]
  request: TestDataRequest
  error: ApiError | null
  isLoading: boolean
  onChange: (request: TestDataRequest) => void
  onStart: () => void
  onStop: () => void
}

export function RequestForm({ tests, panels, request, error, isLoading, onChange, onStart, onStop }: Props) {
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    onStart()
  }
  const { test, date, panel: chosen = [] } = request
  const takePanels = (panel: string[]) => onChange({ test, date, ...(panel.length === 0 ? {} : { panel }) })
  return (
    <form className="line" onSubmit={submit}>
      <div className="field">
        <label htmlFor="test">Test</label>
        <select id="test" value={test} onChange={(event) => onChange({ ...request, test: event.target.value })}>
          {tests.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <FieldErrors error={error} path="test" />
      </div>
      <DateRange date={date} error={error} onChange={(next) => onChange({ ...request, date: next })} />
      <PanelPicker panels={panels} chosen={chosen} error={error} onChange={takePanels} />
      {isLoading ? (
        <button key="stop" type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        // The key makes this a separate element. Otherwise the stop button could become this button during a click, and the
        // click would send a request.
        <button key="show" type="submit" className="primary">
          Show records
        </button>
      )}
    </form>
  )
}
