import { colourName } from './colours.ts'
import { agents, count, shortNumber } from './numbers.ts'
import type { Series } from './series.ts'

type Props = { series: readonly Series[]; unit: string; title: string; isFan: boolean }

/**
 * Draws one value per series: a bar with its 95 % interval, or the spread of the results. It uses HTML elements, which screen
 * readers can read.
 */
export function BarChart({ series, unit, title, isFan }: Props) {
  const bars = series.flatMap(({ name, rank, points: [point] }) => (point === undefined ? [] : [{ name, rank, point }]))
  const largest = Math.max(
    ...bars.map(({ point }) => (isFan ? (point.percentiles['95'] ?? 0) : (point.metricValue ?? 0) + (point.ci95 ?? 0))),
  )
  // Limited to 0 and 100: an interval that is wider than its mean starts below zero, where there is no bar.
  const percent = (value: number | null) =>
    largest > 0 ? Math.min(Math.max((100 * (value ?? 0)) / largest, 0), 100) : 0
  const from = (low: number | null, high: number | null) => ({
    insetInlineStart: `${percent(low)}%`,
    inlineSize: `${percent(high) - percent(low)}%`,
  })
  return (
    <ul className="bars" aria-label={title}>
      {bars.map(({ name, rank, point }) => {
        const { metricValue, ci95, percentiles } = point
        const interval = ci95 === null ? '' : ` ± ${shortNumber(ci95)}`
        return (
          <li key={name} style={{ color: `var(${colourName(rank)})` }}>
            <span className="bar-name">{name}</span>
            <span className="bar" aria-hidden="true">
              {isFan ? (
                <>
                  <i className="wide" style={from(percentiles['5'], percentiles['95'])} />
                  <i className="half" style={from(percentiles['25'], percentiles['75'])} />
                  <i className="whisker" style={{ insetInlineStart: `${percent(percentiles['50'])}%` }} />
                </>
              ) : (
                <>
                  <i className="solid" style={from(0, metricValue)} />
                  {ci95 !== null && (
                    <i className="interval" style={from((metricValue ?? 0) - ci95, (metricValue ?? 0) + ci95)} />
                  )}
                </>
              )}
            </span>
            <span className="bar-text">
              <b>{isFan ? shortNumber(percentiles['50']) : `${shortNumber(metricValue)}${interval}`}</b> {unit}
              {isFan && ` (5–95 %: ${shortNumber(percentiles['5'])}–${shortNumber(percentiles['95'])})`}, n{' '}
              {count(point.sampleCount)}, {agents(point.agentCount)}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
