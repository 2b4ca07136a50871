import type { InterfaceName } from './define-route.ts'

/**
 * The token in an `Authorization` header, null when there is none in a form the interface takes. The data interface takes
 * a bare token, and `Bearer` as well; the others take `Bearer` only.
 */
export function bearerToken(header: string | undefined, interfaceName: InterfaceName): string | null {
  if (header === undefined) return null
  const bearer = /^bearer +([^ ]+)$/i.exec(header.trim())
  if (bearer?.[1] !== undefined) return bearer[1]
  const bare = /^[^ ]+$/.exec(header.trim())
  return interfaceName === 'data' && bare ? bare[0] : null
}
