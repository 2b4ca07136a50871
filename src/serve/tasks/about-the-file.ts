import { Fault } from '../../base/fault.ts'
import { SpokenError } from '../../base/spoken-error.ts'

/** What is wrong with a file, in a sentence; anything else ends the import. */
export function aboutTheFile(error: unknown): string {
  if (error instanceof SpokenError) return error.message
  if (error instanceof Fault && error.errors !== undefined) {
    return Object.entries(error.errors)
      .map(([column, messages]) => `${column}: ${messages.join(' ')}`)
      .join('; ')
  }
  if (error instanceof Error && 'code' in error && /^(EACCES|EISDIR|ENOENT)$/.test(String(error.code)))
    return error.message
  throw error
}
