import { presetOf, type Metric } from '../api/listings.ts'
import { unitSymbol } from '../chart/numbers.ts'
import { FieldErrors } from '../parts/notice.tsx'
import type { ControlsProps } from './controls-props.ts'

/**
 * The metrics that the token has access to, grouped by test. Choosing a metric removes splits, filters and a preset that it
 * does not have.
 */
export function MetricChoice({ listings, metric, state, error, onChange }: ControlsProps) {
  const byTest = Map.groupBy(listings.metrics, ({ test }) => test)
  const choose = (key: string) => {
    const chosen = listings.metrics.find((one) => one.key === key)
    onChange({
      metric: key,
      splits: state.splits.filter((id) => chosen?.splits.includes(id) ?? true),
      filters: state.filters.filter(({ id }) => chosen?.filters.includes(id) ?? true),
      preset: presetOf(listings.presets, state.preset)?.metrics.includes(key) === true ? state.preset : '',
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
                {name} ({unitSymbol(unit)})
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p className="hint" id="metric-is">
        {metric === null
          ? `You have no access to “${state.metric}”, or it does not exist. Choose another.`
          : `${metric.description} ${better(metric)}`.trim()}
      </p>
      <FieldErrors error={error} path="metric" />
    </div>
  )
}

const better = ({ higherIsBetter }: Metric): string =>
  higherIsBetter === null ? '' : `${higherIsBetter ? 'Higher' : 'Lower'} is better.`
