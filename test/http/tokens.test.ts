import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tokenScopes, type TokenScope } from '../../src/base/caller.ts'
import { formatToken, tokenEntropyBytes } from '../../src/base/token.ts'
import { findTokens, revokeToken } from '../../src/engine/postgres/operator/tokens.ts'
import type { Service } from '../../src/serve/wiring/service.ts'
import { call } from '../kit/call.ts'
import { ok } from '../../src/envelope/envelope.ts'
import { defineRoute } from '../../src/http/define-route.ts'
import { routes } from '../../src/http/routes/index.ts'
import { organisation, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'

/** A route of the metadata interface. This interface accepts the token in another form of the header. */
const ping = defineRoute('metadata', 'GET', '/ping', 'metadata:read', async (_context, caller) =>
  ok(caller.organisationKey),
)

let world: World
let service: Service

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  service = await world.serve({}, [ping])
})
afterAll(() => world.close())

const statusOf = async (path: string, authorization: string): Promise<number> =>
  (await call(`${service.addresses.api}${path}`, { headers: { authorization } })).status

const now = () => Temporal.Now.instant()
const denied = { status: 403, text: '{"code":"ACCESS_DENIED","message":"Access Denied"}' }

it('accepts a bare token and Bearer on the data interface', async () => {
  const good = await token(world, 'acme')
  for (const header of [good, `Bearer ${good}`, `bearer ${good}`, `BEARER  ${good}`]) {
    expect(await statusOf('/tests', header)).toBe(200)
  }
  expect(await statusOf('/tests', `Token ${good}`)).toBe(403)
})

it('accepts only Bearer on the metadata interface', async () => {
  const good = await token(world, 'acme', ['metadata:read'])
  expect(await statusOf('/ping', `Bearer ${good}`)).toBe(200)
  expect(await statusOf('/ping', `bEARER ${good}`)).toBe(200)
  expect(await statusOf('/ping', good)).toBe(403)
})

it('refuses a token without the scope exactly like an unknown one', async () => {
  const scoped = await token(world, 'acme', ['metadata:read', 'metadata:write', 'ingest:write'])
  const unknown = formatToken(randomBytes(tokenEntropyBytes))
  const answers = await Promise.all(
    [scoped, unknown].map((one) => call(`${service.addresses.api}/tests`, { token: one })),
  )
  expect(answers.map(({ status, text }) => ({ status, text }))).toEqual([denied, denied])
})

const guarded = routes.filter((route) => route.scope !== null)

it('requires a token on every route except the failure test route', () => {
  const open = routes.filter((route) => route.scope === null)
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /response-internal-server-error'])
})

/** A route that needs a second scope: a share link reads what its maker may read. */
const secondScopes: Record<string, readonly TokenScope[]> = { 'POST /questions/:key/links': ['data:read'] }

it.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
  'answers %s only to a token of its scope, in the form of its interface',
  async (name, { interface: interfaceName, method, path, scope }) => {
    const { ingest, api } = service.addresses
    const url = `${interfaceName === 'ingest' ? ingest : api}${path.replaceAll(/:\w+/g, '1')}`
    const others = tokenScopes.filter((one) => one !== scope)
    const own = await token(world, 'acme', [scope, ...(secondScopes[name] ?? [])])
    const refused = [
      {},
      { authorization: `Bearer ${await token(world, 'acme', others)}` },
      ...(interfaceName === 'data' ? [] : [{ authorization: own }]),
    ]
    for (const headers of refused) {
      const { status, text } = await call(url, { method, headers })
      expect({ status, text }, JSON.stringify(headers)).toEqual(denied)
    }
    // The request has no body, so its status may be anything except 403.
    expect((await call(url, { method, token: `Bearer ${own}` })).status).not.toBe(403)
  },
)

it('refuses a token from the second it expires', async () => {
  const good = await token(world, 'acme', ['data:read'], now().add({ hours: 1 }))
  expect(await statusOf('/tests', good)).toBe(200)
  await runSql(world.superuserUrl, 'UPDATE tokens SET expires_at = now() WHERE starts_with($1, visible_part)', [good])
  expect(await statusOf('/tests', good)).toBe(403)
  expect(await statusOf('/tests', await token(world, 'acme', ['data:read'], now().subtract({ seconds: 1 })))).toBe(403)
})

it('refuses a revoked token with the next request', async () => {
  const good = await token(world, 'acme')
  expect(await statusOf('/tests', good)).toBe(200)
  await world.operate(async (operator) => {
    const tokens = await findTokens(operator, 'acme')
    const mine = tokens.find(({ visible_part }) => good.startsWith(visible_part))
    await revokeToken(operator, mine?.id ?? 0)
  })
  expect(await statusOf('/tests', good)).toBe(403)
})

it('records the last use of a token, at the latest when the instance stops', async () => {
  const before = now()
  const good = await token(world, 'acme')
  const own = await world.serve()
  await call(`${own.addresses.api}/tests`, { token: good })
  await own.stop('the test')
  const tokens = await world.operate((operator) => findTokens(operator, 'acme'))
  const used = tokens.find(({ visible_part }) => good.startsWith(visible_part))?.last_used_at
  expect(used?.getTime()).toBeGreaterThanOrEqual(before.epochMilliseconds)
})
