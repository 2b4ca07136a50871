import type { ApiError } from '../api/api-error.ts'
import type { TestDataRequest } from '../api/test-data.ts'
import { FieldErrors } from '../parts/notice.tsx'
import { DateRange } from './date-range.tsx'

type Props = {
  tests: readonly string[]
  request: TestDataRequest
  error: ApiError | null
  isLoading: boolean
  onChange: (request: TestDataRequest) => void
  onStart: () => void
  onStop: () => void
}

export function RequestForm({ tests, request, error, isLoading, onChange, onStart, onStop }: Props) {
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    onStart()
  }
  const takePanels = (text: string) => {
    const panel = text
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== '')
    const { test, date } = request
    onChange({ test, date, ...(panel.length === 0 ? {} : { panel }) })
  }
  return (
    <form className="line" onSubmit={submit}>
      <div className="field">
        <label htmlFor="test">Test</label>
        <select id="test" value={request.test} onChange={(event) => onChange({ ...request, test: event.target.value })}>
          {tests.map((test) => (
            <option key={test}>{test}</option>
          ))}
        </select>
        <FieldErrors error={error} path="test" />
      </div>
      <DateRange date={request.date} error={error} onChange={(date) => onChange({ ...request, date })} />
      <div className="field">
        <label htmlFor="panels">Panels</label>
        <input
          id="panels"
          placeholder="every panel you can read"
          defaultValue={request.panel?.join(', ')}
          onBlur={(event) => takePanels(event.target.value)}
        />
        <FieldErrors error={error} path="panel" />
      </div>
      {isLoading ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="primary">
          Show records
        </button>
      )}
    </form>
  )
}
