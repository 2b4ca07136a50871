import type { ApiError } from '../api/api-error.ts'
import { FieldErrors } from '../parts/notice.tsx'
import type { ControlsProps } from './controls-props.ts'
import type { FilterState } from './explore-state.ts'
import { positionsInRequest } from './metric-request.ts'
import { ValuePicker } from './value-picker.tsx'

/** A result must match all filters. It matches a filter if it has any of the filter's values. */
export function FilterEditor({ session, listings, metric, state, error, onChange }: ControlsProps) {
  const names = new Map(listings.filters.map(({ id, name }) => [id, name]))
  const offered = listings.filters.filter(({ id }) => metric === null || metric.filters.includes(id))
  const positions = positionsInRequest(state)
  const replace = (position: number, filter: FilterState | null) =>
    onChange({ filters: state.filters.flatMap((one, index) => (index === position ? (filter ?? []) : one)) })
  const add = (id: string) => onChange({ filters: [...state.filters, { id, type: 'include', values: [] }] })
  return (
    <fieldset>
      <legend>Only where</legend>
      {state.filters.map((filter, position) => (
        // The position identifies the filter, because two filters may have the same field.
        <div
          className="filter"
          key={position}
          role="group"
          aria-label={`Filter by ${names.get(filter.id) ?? filter.id}`}
        >
          <FilterHead
            filter={filter}
            name={names.get(filter.id) ?? filter.id}
            onChange={(changed) => replace(position, changed)}
          />
          <ValuePicker
            session={session}
            id={filter.id}
            name={names.get(filter.id) ?? filter.id}
            values={filter.values}
            onChange={(values) => replace(position, { ...filter, values })}
          />
          <FilterFault error={error} position={positions[position] ?? -1} />
        </div>
      ))}
      <select aria-label="Add a filter" value="" onChange={(event) => add(event.target.value)}>
        <option value="">{state.filters.length === 0 ? 'No filter: everything' : 'and …'}</option>
        {offered.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <FieldErrors error={error} path="filters" />
    </fieldset>
  )
}

const FilterFault = ({ error, position }: { error: ApiError | null; position: number }) =>
  position === -1 ? null : <FieldErrors error={error} path={`filters[${position}]`} />

type HeadProps = { filter: FilterState; name: string; onChange: (filter: FilterState | null) => void }

function FilterHead({ filter, name, onChange }: HeadProps) {
  const choose = (type: string) => onChange({ ...filter, type: type === 'exclude' ? 'exclude' : 'include' })
  return (
    <div className="row">
      <strong>{name}</strong>
      <select aria-label={`How ${name} filters`} value={filter.type} onChange={(event) => choose(event.target.value)}>
        <option value="include">is one of</option>
        <option value="exclude">is none of (or unknown)</option>
      </select>
      <button
        type="button"
        className="quiet"
        aria-label={`Remove the filter by ${name}`}
        onClick={() => onChange(null)}
      >
        ×
      </button>
    </div>
  )
}
