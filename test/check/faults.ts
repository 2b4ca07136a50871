import { Fault, type FieldErrors } from '../../src/base/fault.ts'
import { FieldFaults } from '../../src/check/field-faults.ts'

/** The messages of validation errors, as docs/specification.md gives them. */
export const missing = ['This field is missing.']
export const unexpected = ['This field was not expected.']
export const choice = ['The value you selected is not a valid choice.']
export const type = (name: 'string' | 'integer' | 'bool' | 'array' | 'object' | 'number'): string[] => [
  `This value should be of type ${name}.`,
]

/** Returns the validation errors by field, or null if `check` accepts the request. */
export function errorsOf(check: () => unknown): FieldErrors | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof Fault && error.code === 'VALIDATION_FAIL') return error.errors ?? {}
    throw error
  }
}

/** Like `errorsOf`, for a check that collects faults instead of throwing them. */
export const faultsOf = (check: (faults: FieldFaults) => unknown): FieldErrors | null =>
  errorsOf(() => {
    const faults = new FieldFaults()
    check(faults)
    faults.throwIfAny()
  })

/** The code of the fault that `check` throws, or `OK`. */
export function codeOf(check: () => unknown): string {
  try {
    check()
    return 'OK'
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}
