import type { Fault, FieldDetails, FieldErrors } from '../base/fault.ts'

/** Every body the service sends has this shape, whatever happened. */
export type Envelope = { code: string; message: string; data?: unknown; errors?: FieldErrors; details?: FieldDetails }

/** Without `data` the answer has none: JSON leaves out what is undefined. */
export const ok = (data?: unknown): Envelope => ({ code: 'OK', message: 'Request successful', data })

export const failed = ({ code, message, errors, details }: Fault): Envelope => ({
  code,
  message,
  ...(errors === undefined ? {} : { errors }),
  ...(details === undefined ? {} : { details }),
})
