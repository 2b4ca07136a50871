import type { Fault, FieldDetails, FieldErrors } from '../base/fault.ts'
import type { Warning } from '../base/warning.ts'
import { shownWarnings } from './warnings.ts'

/** Every body the service sends has this shape, whatever happened. */
export type Envelope = {
  code: string
  message: string
  data?: unknown
  warnings?: readonly Warning[]
  errors?: FieldErrors
  details?: FieldDetails
}

/** Without `data` the answer has none: JSON leaves out what is undefined. */
export const ok = (data?: unknown, warnings: readonly Warning[] = []): Envelope => ({
  code: 'OK',
  message: 'Request successful',
  data,
  ...(warnings.length === 0 ? {} : { warnings: shownWarnings(warnings) }),
})

export const failed = ({ code, message, errors, details }: Fault): Envelope => ({
  code,
  message,
  ...(errors === undefined ? {} : { errors }),
  ...(details === undefined ? {} : { details }),
})
