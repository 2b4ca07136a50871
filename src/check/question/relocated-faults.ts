import { Fault } from '../../base/fault.ts'
import type { FieldFaults } from '../field-faults.ts'

/** Adds the faults of a 422 to `faults`, each at the path that `place` gives. Throws any other error again. */
export function addRelocated(error: unknown, place: (path: string) => string, faults: FieldFaults): void {
  if (!(error instanceof Fault) || error.errors === undefined) throw error
  for (const [path, found] of Object.entries(error.errors)) {
    const detail = error.details?.[path]
    for (const [index, message] of found.entries()) {
      faults.add(place(path), message, index === 0 && detail !== undefined ? () => detail : undefined)
    }
  }
}

/** The path of a field of the saved request: `request[time][from]` for `time[from]`. */
export const inRequest = (path: string): string =>
  path === 'body' ? 'request' : `request${path.replace(/^[^[]*/, '[$&]')}`
