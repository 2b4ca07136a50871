import { FieldErrors } from '../parts/notice.tsx'
import type { ControlsProps } from './controls.tsx'

/** The metrics of this token, grouped by the test behind them. Splits and filters the new metric lacks are dropped. */
export function MetricChoice({ listings, metric, state, error, onChange }: ControlsProps) {
  const byTest = Map.groupBy(listings.metrics, ({ test }) => test)
  const choose = (key: string) => {
    const chosen = listings.metrics.find((one) => one.key === key)
    onChange({
      metric: key,
      splits: state.splits.filter((id) => chosen?.splits.includes(id) ?? true),
      filters: state.filters.filter(({ id }) => chosen?.filters.includes(id) ?? true),
    })
  }
  return (
    <div className="field">
      <label htmlFor="metric">Metric</label>
      <select
        id="metric"
        value={metric?.key ?? ''}
        aria-describedby="metric-is"
        onChange={(event) => choose(event.target.value)}
      >
        {metric === null && <option value="">Choose a metric …</option>}
        {[...byTest].map(([test, metrics]) => (
          <optgroup key={test} label={`Test ${test}`}>
            {metrics.map(({ key, name, unit }) => (
              <option key={key} value={key}>
                {name} ({unit})
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p className="hint" id="metric-is">
        {metric === null
          ? `You may not ask for “${state.metric}”, or it does not exist. Choose another.`
          : `${metric.description} ${metric.higherIsBetter ? 'Higher' : 'Lower'} is better.`}
      </p>
      <FieldErrors error={error} path="metric" />
    </div>
  )
}
