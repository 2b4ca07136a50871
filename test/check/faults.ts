import { Fault, type FieldErrors } from '../../src/base/fault.ts'
import { FieldFaults } from '../../src/check/field-faults.ts'

/** The wording of the specification and its decisions, once for all tests. */
export const missing = ['This field is missing.']
export const unexpected = ['This field was not expected.']
export const choice = ['The value you selected is not a valid choice.']
export const type = (name: 'string' | 'integer' | 'bool' | 'array' | 'object' | 'number'): string[] => [
  `This value should be of type ${name}.`,
]

/** What a request is refused with, field by field; null when it is taken. */
export function errorsOf(check: () => unknown): FieldErrors | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof Fault && error.code === 'VALIDATION_FAIL') return error.errors ?? {}
    throw error
  }
}

/** The same for checks that collect faults and leave it to others to throw them. */
export const faultsOf = (check: (faults: FieldFaults) => unknown): FieldErrors | null =>
  errorsOf(() => {
    const faults = new FieldFaults()
    check(faults)
    faults.throwIfAny()
  })

/** The code of the fault that is thrown. */
export function codeOf(check: () => unknown): string {
  try {
    check()
    return 'OK'
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}
