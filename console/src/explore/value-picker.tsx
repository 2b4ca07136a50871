import { filterValuesMax, findFilterValues } from '../api/listings.ts'
import type { Session } from '../api/session.ts'
import { Combobox } from '../parts/combobox.tsx'

type Props = {
  session: Session
  id: string
  name: string
  values: readonly string[]
  onChange: (values: readonly string[]) => void
}

/** The values of one filter. The user searches for a value, or types it completely and presses Enter. */
export function ValuePicker({ session, id, name, values, onChange }: Props) {
  const add = (value: string) => {
    if (!values.includes(value)) onChange([...values, value])
  }
  return (
    <>
      {values.length > 0 && (
        <ul className="chips">
          {values.map((value) => (
            <li key={value}>
              {value}
              <button
                type="button"
                aria-label={`Remove ${value}`}
                onClick={() => onChange(values.filter((one) => one !== value))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        key={id}
        label={`Add a value of ${name}`}
        placeholder={values.length === 0 ? 'Type to search …' : 'or …'}
        optionsMax={filterValuesMax}
        find={async (search, signal) => {
          const found = await findFilterValues(session, id, search, signal)
          return found.map(({ value, label }) => ({ value: String(value), label }))
        }}
        onChoose={add}
      />
    </>
  )
}
