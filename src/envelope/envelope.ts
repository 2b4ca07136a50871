import type { Fault, FieldDetails, FieldErrors } from '../base/fault.ts'
import type { Warning } from '../base/warning.ts'
import type { Meta, PageMeta } from './meta.ts'
import { shownWarnings } from './warnings.ts'

/** The shape of every JSON response body, for successes and for errors. */
export type Envelope = {
  code: string
  message: string
  data?: unknown
  meta?: Meta | PageMeta
  warnings?: readonly Warning[]
  errors?: FieldErrors
  details?: FieldDetails
}

/** The envelope of a successful response. `JSON.stringify` omits `data` if it is undefined. */
export const ok = (data?: unknown, warnings: readonly Warning[] = [], meta?: Meta | PageMeta): Envelope => ({
  code: 'OK',
  message: 'Request successful',
  data,
  ...(meta === undefined ? {} : { meta }),
  ...(warnings.length === 0 ? {} : { warnings: shownWarnings(warnings) }),
})

export const failed = ({ code, message, errors, details }: Fault): Envelope => ({
  code,
  message,
  ...(errors === undefined ? {} : { errors }),
  ...(details === undefined ? {} : { details }),
})
