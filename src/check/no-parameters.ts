import { FieldFaults } from './field-faults.ts'

/**
 * For what changes or queries something: its fields belong in the body, and one in the address must not be taken for absent.
 * A GET ignores parameters it does not know: proxies and caches add their own.
 */
export function checkNoParameters(query: Readonly<Record<string, unknown>>): void {
  const faults = new FieldFaults()
  faults.addUnexpected(query, [])
  faults.throwIfAny()
}
