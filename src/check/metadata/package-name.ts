import { isStorable } from '../field-faults.ts'

export type PackageName = { isp: string; package: string | null }

/**
 * `<isp>:<package>`, cut at the first colon because ISP names hold none. `<isp>:` names the ISP alone. Null for anything
 * else.
 */
export function parsePackage(value: unknown): PackageName | null {
  if (typeof value !== 'string' || !isStorable(value)) return null
  const colon = value.indexOf(':')
  if (colon < 1) return null
  return { isp: value.slice(0, colon), package: value.slice(colon + 1) || null }
}
