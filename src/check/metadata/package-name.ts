import { isStorable } from '../field-faults.ts'

export type PackageName = { isp: string; package: string | null }

/**
 * Splits `<isp>:<package>` at the first colon; ISP names contain no colon. `<isp>:` means the ISP without a package. Returns
 * null for any other text.
 */
export function parsePackage(value: unknown): PackageName | null {
  if (typeof value !== 'string' || !isStorable(value)) return null
  const colon = value.indexOf(':')
  if (colon < 1) return null
  return { isp: value.slice(0, colon), package: value.slice(colon + 1) || null }
}
