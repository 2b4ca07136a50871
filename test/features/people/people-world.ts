import { createUser } from '../../../src/engine/postgres/operator/users.ts'
import type { Role } from '../../../src/base/person.ts'
import { call, type Answer } from '../../kit/call.ts'
import type { World } from '../../kit/world.ts'

export const user = (world: World, organisation: string, name: string, role: Role = 'analyst') =>
  world.operate((operator) => createUser(operator, { organisation, name, role }))

const own = { 'x-broadgauge-console': '1' }

export type Ask = { method?: string; cookie?: string; body?: unknown; headers?: Record<string, string> }

/** Sends a request as the page of the console does. */
export const ask = (base: string, path: string, { method = 'GET', cookie, body, headers }: Ask = {}): Promise<Answer> =>
  call(`${base}/console/api${path}`, {
    method,
    headers: {
      ...own,
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

export const cookieOf = ({ headers }: Answer): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? ''

/** Signs in and returns the session cookie. */
export async function signIn(base: string, name: string, password: string): Promise<string> {
  const answer = await ask(base, '/session', { method: 'POST', body: { name, password } })
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`)
  return cookieOf(answer)
}

export async function tokenOf(base: string, cookie: string): Promise<string> {
  const { body } = await ask(base, '/session/token', { method: 'POST', cookie })
  return (body['data'] as { token: string }).token
}
