import { FieldFaults } from './field-faults.ts'

/** For endpoints that take no query string: one that is misspelt must not be taken for one that is absent. */
export function checkNoParameters(query: Readonly<Record<string, unknown>>): void {
  const faults = new FieldFaults()
  faults.addUnexpected(query, [])
  faults.throwIfAny()
}
