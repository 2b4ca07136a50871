import { useState } from 'react'
import { colourName } from './colours.ts'
import { count } from './numbers.ts'
import type { Series } from './series.ts'

export const topMax = 10
const shownMax = 50
const listedMax = 200

type Props = { series: readonly Series[]; shown: ReadonlySet<string>; onShow: (names: ReadonlySet<string>) => void }

/**
 * The list in which the user chooses which lines are drawn. Lines with the most results come first; a search finds the others
 * by name.
 */
export function Legend({ series, shown, onShow }: Props) {
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const found = series
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((one, other) => one.rank - other.rank)
  const first = (names: number) => onShow(new Set(found.slice(0, names).map(({ name }) => name)))
  const toggle = (name: string) => onShow(shown.symmetricDifference(new Set([name])))
  return (
    <section className="legend" aria-label="Lines">
      <div className="row">
        {series.length > topMax && (
          <input
            type="search"
            aria-label="Search the lines"
            placeholder={`Search ${count(series.length)} lines …`}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <span className="hint" role="status">
          {shown.size} of {count(series.length)} shown, by number of results
        </span>
        {series.length > topMax && (
          <button type="button" onClick={() => first(topMax)}>
            First {topMax}
          </button>
        )}
        <button type="button" onClick={() => first(shownMax)}>
          {found.length > shownMax ? `First ${shownMax}` : 'All'}
          {wanted === '' ? '' : ' found'}
        </button>
        <button type="button" onClick={() => onShow(new Set())}>
          None
        </button>
      </div>
      <ul>
        {found.slice(0, listedMax).map(({ name, rank, samples }) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked={shown.has(name)} onChange={() => toggle(name)} />
              <span className="swatch" style={{ background: `var(${colourName(rank)})` }} /> {name}{' '}
              <span className="hint">n {count(samples)}</span>
            </label>
          </li>
        ))}
      </ul>
      {found.length > listedMax && (
        <p className="hint">and {count(found.length - listedMax)} more; search to find them.</p>
      )}
      {found.length === 0 && <p className="hint">No line has “{search}” in its name.</p>}
    </section>
  )
}
