import type { ApiError } from '../api/api-error.ts'
import type { TestDataRequest } from '../api/test-data.ts'
import { FieldErrors } from '../parts/notice.tsx'

type Dates = TestDataRequest['date']
type Props = { date: Dates; error: ApiError | null; onChange: (date: Dates) => void }

const presets: readonly { title: string; date: Dates }[] = [
  { title: 'Today', date: { from: 'now', to: 'now' } },
  { title: 'Yesterday and today', date: { from: '-1 days', to: 'now' } },
  { title: 'Last 7 days', date: { from: '-7 days', to: 'now' } },
  { title: 'Last 28 days', date: { from: '-28 days', to: 'now' } },
]

const dayOf = (text: string): string => {
  const days = text === 'now' ? 0 : Number(/^([+-]\d+) days$/.exec(text)?.[1] ?? Number.NaN)
  return Number.isNaN(days) ? text : new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

/** The first and last day, in UTC. Both are included. */
export function DateRange({ date, error, onChange }: Props) {
  const chosen = presets.findIndex((one) => one.date.from === date.from && one.date.to === date.to)
  const choose = (position: number) =>
    onChange(presets[position]?.date ?? { from: dayOf(date.from), to: dayOf(date.to) })
  return (
    <>
      <div className="field">
        <label htmlFor="days">Days (UTC)</label>
        <select id="days" value={chosen} onChange={(event) => choose(Number(event.target.value))}>
          {presets.map(({ title }, position) => (
            <option key={title} value={position}>
              {title}
            </option>
          ))}
          <option value={-1}>From … to …</option>
        </select>
        {chosen !== -1 && <FieldErrors error={error} path="date" />}
      </div>
      {chosen === -1 &&
        (['from', 'to'] as const).map((end) => (
          <div className="field" key={end}>
            <label htmlFor={`day-${end}`}>{end === 'from' ? 'From' : 'To, included'}</label>
            <input
              id={`day-${end}`}
              type="date"
              required
              value={date[end]}
              onChange={(event) => event.target.value !== '' && onChange({ ...date, [end]: event.target.value })}
            />
            <FieldErrors error={error} path={`date[${end}]`} />
          </div>
        ))}
    </>
  )
}
