import { useState } from 'react'
import type { Span } from '../api/metadata.ts'
import { lanesOf, placeOf, windowOf, type Stretch } from './lanes.ts'

/** Draws an agent's metadata over time, with one lane per field. */
export function Timeline({ spans }: { spans: readonly Span[] }) {
  const [now] = useState(() => new Date())
  const window = windowOf(spans, now)
  return (
    <section className="timeline" aria-label="Timeline of the metadata">
      {lanesOf(spans).map(({ name, stretches }) => (
        <div className="lane" key={name}>
          <div>
            <h3>{name}</h3>
            <p className="hint">now: {stretches.at(-1)?.value ?? 'none'}</p>
          </div>
          <ol>
            {stretches.map((stretch) => {
              const { left, width } = placeOf(stretch, window)
              return (
                <li
                  key={stretch.from ?? 'ever'}
                  className={stretch.value === null ? 'none' : undefined}
                  style={{ insetInlineStart: `${left}%`, inlineSize: `${width}%` }}
                  title={`${stretch.value ?? 'none'}, ${daysText(stretch)}`}
                >
                  {stretch.value ?? 'none'}
                  <span className="unseen">, {daysText(stretch)}</span>
                </li>
              )
            })}
          </ol>
        </div>
      ))}
      <div className="lane axis" aria-hidden="true">
        <h3>UTC days</h3>
        <p>
          {[window.from, (window.from + window.to) / 2, window.to - 1].map((time) => (
            <span key={time}>{new Date(time).toISOString().slice(0, 10)}</span>
          ))}
        </p>
      </div>
    </section>
  )
}

function daysText({ from, to }: Stretch): string {
  if (from === null) return to === null ? 'always' : `up to ${to}`
  return to === null ? `since ${from}` : `from ${from} to ${to}`
}
