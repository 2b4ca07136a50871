import { filterValuesMax, findFilterValues } from '../api/listings.ts'
import type { Session } from '../api/session.ts'
import { useOptions } from '../parts/use-options.ts'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** The browser's suggestions for packages and time zones. The user may type any other value. */
export function Choices({ session, search }: { session: Session; search: string }) {
  const { options } = useOptions(true, search, async (text, signal) => {
    const found = await findFilterValues(session, 'package', text, signal)
    return found.slice(0, filterValuesMax).map(({ value, label }) => ({ value: String(value), label }))
  })
  return (
    <>
      <datalist id="packages">
        {options.map(({ value }) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}
