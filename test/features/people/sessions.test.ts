import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { networkOf } from '../../../src/base/network-of.ts'
import { peopleLimits } from '../../../src/base/limits.ts'
import { isPassword } from '../../../src/base/password.ts'
import type { Role } from '../../../src/base/person.ts'
import {
  changeRole,
  createUser,
  disableUser,
  findUsers,
  issuePassword,
} from '../../../src/engine/postgres/operator/users.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ask, cookieOf, signIn, tokenOf, user } from './people-world.ts'

let world: World
let base: string
let ada: string

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'regulator')
  await organisation(world, 'carrier')
  await panel(world, 'homes', 'regulator', ['whitebox'])
  ada = (await user(world, 'regulator', 'Ada@regulator.example', 'administrator')).password
  base = (await world.serve()).addresses.api
})
afterAll(() => world.close())

const attempt = (name: string, password: string, at = base) =>
  ask(at, '/session', { method: 'POST', body: { name, password } })

/** Resets the limits of sign-in attempts. */
const forgetAttempts = () => runSql(world.superuserUrl, `DELETE FROM limit_buckets WHERE kind LIKE 'sign-in-%'`)

it('stores passwords as argon2id with their parameters, different for the same password', async () => {
  const rows = await runSql<{ password_hash: string }>(world.superuserUrl, 'SELECT password_hash FROM users')
  expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await isPassword(ada, rows[0]?.password_hash ?? '')).toBe(true)
  expect(await isPassword(`${ada} `, rows[0]?.password_hash ?? '')).toBe(false)
  // A hash that the reference implementation of RFC 9106 has computed (libargon2, `argon2 somesalt -id -m 16 -t 2`).
  const cheap = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  expect(await isPassword('password', cheap)).toBe(true)
})

it('signs a person in with a cookie that no script can read and no other site can send', async () => {
  const answer = await attempt('ada@REGULATOR.example', ada)
  expect(answer.status).toBe(200)
  expect(answer.body['data']).toEqual({
    name: 'Ada@regulator.example',
    role: 'administrator',
    organisation: { key: 'regulator', name: 'regulator' },
    has_password: true,
    provider: null,
    expires_at: expect.any(String),
  })
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^broadgauge=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    expect.stringMatching(
      /^broadgauge-device=[\w-]{22}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/,
    ),
  ])
  expect(answer.text).not.toContain(cookieOf(answer).slice(-43))
  const again = await ask(base, '/session', { cookie: cookieOf(answer) })
  expect(again.body['data']).toEqual(answer.body['data'])
})

it('marks the cookie as secure only if callers use HTTPS', async () => {
  const { addresses } = await world.serve({ BROADGAUGE_TRUST_PROXY: 'true' })
  const headers = { 'x-forwarded-proto': 'https' }
  const body = { name: 'ada@regulator.example', password: ada }
  const answer = await ask(addresses.api, '/session', { method: 'POST', body, headers })
  const secure = [
    expect.stringMatching(/^__Host-broadgauge=[^;]+; .*; Secure$/),
    expect.stringMatching(/^__Host-broadgauge-device=[^;]+; .*; Secure; Max-Age=34560000$/),
  ]
  expect(answer.headers.getSetCookie()).toEqual(secure)
  const { addresses: named } = await world.serve({ BROADGAUGE_DATA_BASE_URL: 'https://data.example/v' })
  const other = await call(`${named.api}/v/console/api/session`, {
    method: 'POST',
    headers: { 'x-broadgauge-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(other.headers.getSetCookie()).toEqual(secure)
})

it('gives the session a token for both interfaces that lasts a quarter of an hour and ends with the session', async () => {
  const cookie = await signIn(base, 'ada@regulator.example', ada)
  const first = await ask(base, '/session/token', { method: 'POST', cookie })
  const { token: secret, scopes, expires_at } = first.body['data'] as Record<string, string>
  expect(scopes).toEqual(['data:read', 'metadata:read', 'metadata:write', 'questions:write'])
  expect(Date.parse(expires_at ?? '') - Date.now()).toBeLessThanOrEqual(peopleLimits.sessionTokenMs)
  expect(await tokenOf(base, cookie)).toBe(secret)
  const data = () => call(`${base}/tests`, { token: secret ?? '' })
  const metadata = () => call(`${base}/metadata/agent/homes-whitebox`, { token: `Bearer ${secret}` })
  expect([(await data()).status, (await metadata()).status]).toEqual([200, 200])

  const out = await ask(base, '/session', { method: 'DELETE', cookie })
  expect(out.headers.get('set-cookie')).toMatch(/^broadgauge=; .*Max-Age=0$/)
  expect([(await data()).status, (await metadata()).status]).toEqual([403, 403])
  expect((await ask(base, '/session', { cookie })).status).toBe(403)
})

it('gives analysts a token that changes neither metadata nor tokens', async () => {
  const { password } = await user(world, 'regulator', 'analyst')
  const cookie = await signIn(base, 'analyst', password)
  const secret = await tokenOf(base, cookie)
  const change = { agent: { agent_id: 'homes-whitebox' }, metadata: { timezone: 'UTC' } }
  const headers = { 'content-type': 'application/json' }
  const options = { method: 'PUT', token: `Bearer ${secret}`, headers, body: JSON.stringify(change) }
  expect((await call(`${base}/metadata`, options)).status).toBe(403)
  expect((await ask(base, '/tokens', { cookie })).status).toBe(403)
})

describe('a request from another site', () => {
  let cookie: string
  beforeAll(async () => {
    cookie = await signIn(base, 'ada@regulator.example', ada)
  })

  it.each([
    ["without the console's header", { 'x-broadgauge-console': '' }, 200],
    ['that the browser marks as cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['that the browser marks as same-site', { 'sec-fetch-site': 'same-site' }, 403],
    ['that the browser marks as same-origin', { 'sec-fetch-site': 'same-origin' }, 200],
  ])('%s', async (_name, headers, status) => {
    const answer = await ask(base, '/session/token', { method: 'POST', cookie, headers })
    expect(answer.status).toBe(status)
  })

  it("without the console's header changes nothing", async () => {
    const answer = await call(`${base}/console/api/session`, { method: 'DELETE', headers: { cookie } })
    expect([answer.status, answer.body['code']]).toEqual([403, 'ACCESS_DENIED'])
    expect((await ask(base, '/session', { cookie })).status).toBe(200)
  })

  it('is not allowed by the preflight of an allowed origin', async () => {
    const { addresses } = await world.serve({ BROADGAUGE_CORS_ORIGINS: 'https://elsewhere.example' })
    const response = await fetch(`${addresses.api}/console/api/session`, {
      method: 'OPTIONS',
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'DELETE' },
    })
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('x-broadgauge-console')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

it('gives the same answer for a wrong name, a wrong password and a disabled person, and takes the same time', async () => {
  const { password } = await user(world, 'regulator', 'gone')
  await world.operate((operator) => disableUser(operator, 'gone'))
  const times = new Map<string, number[]>()
  const texts = new Set<string>()
  for (let round = 0; round < 3; round += 1) {
    for (const [name, secret] of [
      ['ada@regulator.example', 'wrong'],
      ['nobody', 'wrong'],
      ['gone', password],
    ] as const) {
      const before = process.cpuUsage()
      const { status, text } = await attempt(name, secret)
      times.set(name, [...(times.get(name) ?? []), process.cpuUsage(before).user])
      texts.add(`${status} ${text}`)
    }
  }
  expect([...texts]).toEqual(['403 {"code":"ACCESS_DENIED","message":"The name or the password is wrong."}'])
  const quickest = [...times.values()].map((all) => Math.min(...all))
  // Compare CPU time, because a busy machine changes the elapsed time. If the service did not check the password, it
  // would use a twentieth of the CPU time.
  expect(Math.min(...quickest)).toBeGreaterThan(Math.max(...quickest) / 3)
  await forgetAttempts()
})

it.each(['', 'a b', '\u0000', '\ud800', 'ü'.repeat(1000), 'x'.repeat(255)])(
  'refuses an impossible name: %j',
  async (name) => {
    expect((await attempt(name, 'x')).body['errors']).toEqual({
      name: ['This value should be 1 to 254 characters of ASCII without spaces.'],
    })
  },
)

it('counts an IPv6 network as one address, and each IPv4 address by itself', () => {
  expect(networkOf('2001:db8:0:12::7')).toBe('2001:db8:0:12::/64')
  expect(networkOf('2001:0DB8::ffff')).toBe('2001:db8:0:0::/64')
  expect(networkOf('::1')).toBe('0:0:0:0::/64')
  expect(networkOf('::ffff:203.0.113.9')).toBe('203.0.113.9')
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9')
})

it('ends an unused session, and one that has reached its maximum age', async () => {
  const idle = await signIn(base, 'ada@regulator.example', ada)
  await runSql(world.superuserUrl, `UPDATE sessions SET seen_at = seen_at - interval '59 minutes'`)
  expect((await ask(base, '/session', { cookie: idle })).status).toBe(200)
  await runSql(world.superuserUrl, `UPDATE sessions SET seen_at = seen_at - interval '61 minutes'`)
  expect((await ask(base, '/session', { cookie: idle })).status).toBe(403)
  const old = await signIn(base, 'ada@regulator.example', ada)
  const secret = await tokenOf(base, old)
  await runSql(world.superuserUrl, `UPDATE sessions SET expires_at = now()`)
  expect((await ask(base, '/session/token', { method: 'POST', cookie: old })).status).toBe(403)
  // The token of a session expires at most a quarter of an hour after the session. Simulate that the token has expired.
  await runSql(world.superuserUrl, `UPDATE tokens SET expires_at = now() WHERE session_id IS NOT NULL`)
  expect((await call(`${base}/tests`, { token: secret })).status).toBe(403)
})

it("ends the browser's previous session when a person signs in again, and only then", async () => {
  const { password } = await user(world, 'regulator', 'next')
  const former = await signIn(base, 'ada@regulator.example', ada)
  const elsewhere = await signIn(base, 'ada@regulator.example', ada)
  const secret = await tokenOf(base, former)
  const over = (given: string) =>
    ask(base, '/session', { method: 'POST', cookie: former, body: { name: 'next', password: given } })
  const status = async (cookie: string) => (await ask(base, '/session', { cookie })).status
  expect((await over('wrong')).status).toBe(403)
  expect(await status(former)).toBe(200)
  const present = cookieOf(await over(password))
  expect([await status(former), await status(elsewhere), await status(present)]).toEqual([403, 200, 200])
  expect((await call(`${base}/tests`, { token: secret })).status).toBe(403)
  await forgetAttempts()
})

it('ends all sessions of a person who is disabled or gets another password', async () => {
  const { password } = await user(world, 'regulator', 'eve')
  const cookie = await signIn(base, 'eve', password)
  const secret = await tokenOf(base, cookie)
  const next = await world.operate((operator) => issuePassword(operator, 'EVE'))
  expect((await ask(base, '/session', { cookie })).status).toBe(403)
  expect((await call(`${base}/tests`, { token: secret })).status).toBe(403)
  expect((await attempt('eve', password)).status).toBe(403)
  const again = await signIn(base, 'eve', next.password)
  await world.operate((operator) => disableUser(operator, 'eve'))
  expect((await ask(base, '/session', { cookie: again })).status).toBe(403)
  expect((await attempt('eve', next.password)).status).toBe(403)
  await forgetAttempts()
})

it('sets no password for a person who signs in through OpenID, and says where to change it', async () => {
  const identified = { organisation: 'regulator', name: 'vera', role: 'analyst', provider: 'work' } as const
  await world.operate((operator) => createUser(operator, identified))
  await expect(world.operate((operator) => issuePassword(operator, 'Vera'))).rejects.toThrow(
    'Vera signs in with the provider work and has no password in this service.',
  )
})

it("applies a person's new role from the next request of an open session on", async () => {
  const { password } = await user(world, 'regulator', 'joan')
  const cookie = await signIn(base, 'joan', password)
  const secret = await tokenOf(base, cookie)
  const mine = async () => ((await ask(base, '/session', { cookie })).body['data'] as { role: string }).role
  const mayManage = async () => (await ask(base, '/tokens', { cookie })).status
  const mayChange = async () => {
    const body = JSON.stringify({ agent: { agent_id: 'homes-whitebox' }, metadata: { timezone: 'UTC' }, dry_run: true })
    const headers = { 'content-type': 'application/json' }
    return (await call(`${base}/metadata`, { method: 'PUT', token: `Bearer ${secret}`, headers, body })).status
  }
  const give = (role: Role) => world.operate((operator) => changeRole(operator, 'JOAN', role))
  // The token of an ended session must keep its scopes when the role changes.
  const over = await signIn(base, 'joan', password)
  await ask(base, '/session', { method: 'DELETE', cookie: over })

  expect([await mine(), await mayManage(), await mayChange()]).toEqual(['analyst', 403, 403])
  expect(await give('administrator')).toMatchObject({ changed: true })
  expect([await mine(), await mayManage(), await mayChange()]).toEqual(['administrator', 200, 200])
  expect(await give('administrator')).toMatchObject({ changed: false })
  const made = await ask(base, '/tokens', { method: 'POST', cookie, body: { label: 'x', scopes: ['data:read'] } })
  expect(await give('analyst')).toMatchObject({ changed: true })
  expect([await mine(), await mayManage(), await mayChange()]).toEqual(['analyst', 403, 403])
  expect((await ask(base, '/tokens', { method: 'POST', cookie, body: {} })).status).toBe(403)
  // The administrator's new token belongs to the organisation, so it stays valid after the change of role.
  const { token: theirs } = made.body['data'] as { token: string }
  expect((await call(`${base}/tests`, { token: theirs })).status).toBe(200)

  const kinds = await runSql<{ kind: string }>(
    world.superuserUrl,
    `SELECT kind FROM people_events JOIN users ON users.id = user_id WHERE name = 'joan' AND kind LIKE 'made-%' ORDER BY people_events.id`,
  )
  expect(kinds.map(({ kind }) => kind)).toEqual(['made-administrator', 'made-analyst'])
  const tokens = await runSql<{ scopes: string[]; over: boolean }>(
    world.superuserUrl,
    `SELECT scopes, revoked_at IS NOT NULL AS over FROM tokens WHERE label = 'console, joan' ORDER BY id`,
  )
  expect(tokens).toEqual([
    { scopes: ['data:read', 'metadata:read', 'questions:write'], over: false },
    { scopes: ['data:read', 'metadata:read', 'questions:write'], over: true },
  ])
})

it('keeps a person from keeping a role by signing in while the operator changes it', async () => {
  const { password } = await user(world, 'regulator', 'hasty', 'administrator')
  const changed = world.operate(async (operator) => {
    await operator.client.query('BEGIN')
    await operator.client.query(`UPDATE users SET role = 'analyst' WHERE name = 'hasty'`)
    const signing = signIn(base, 'hasty', password)
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await vi.waitUntil(async () => (await runSql(world.superuserUrl, waits)).length > 0, { timeout: 5_000 })
    await operator.client.query('COMMIT')
    return signing
  })
  const { body } = await ask(base, '/session/token', { method: 'POST', cookie: await changed })
  expect((body['data'] as { scopes: string[] }).scopes).toEqual(['data:read', 'metadata:read', 'questions:write'])
})

it('lets people change their password, which ends their other sessions', async () => {
  const { password } = await user(world, 'regulator', 'grace')
  const [here, elsewhere] = [await signIn(base, 'grace', password), await signIn(base, 'grace', password)]
  const change = (body: unknown) => ask(base, '/password', { method: 'PUT', cookie: here, body })
  expect((await change({ current: password, new: 'short' })).body['errors']).toEqual({
    new: ['This value should be at least 12 characters.'],
  })
  expect((await change({ current: 'wrong', new: 'long enough to do' })).body['errors']).toEqual({
    current: ['This is not your current password.'],
  })
  expect((await change({ current: password, new: 'long enough to do' })).status).toBe(200)
  expect((await ask(base, '/session', { cookie: here })).status).toBe(200)
  expect((await ask(base, '/session', { cookie: elsewhere })).status).toBe(403)
  expect((await attempt('grace', password)).status).toBe(403)
  expect((await attempt('grace', 'long enough to do')).status).toBe(200)
  await forgetAttempts()
})

it('accepts no foreign cookie, no two cookies, and no token instead of a cookie', async () => {
  const cookie = await signIn(base, 'ada@regulator.example', ada)
  const invented = `broadgauge=${'A'.repeat(43)}`
  for (const wrong of ['', 'broadgauge=', invented, `${cookie}; ${invented}`, `__Host-${cookie}`]) {
    expect((await ask(base, '/session', { cookie: wrong })).status).toBe(403)
  }
  expect((await ask(base, '/session', { cookie: `theme=dark; ${cookie}` })).status).toBe(200)
  const secret = await token(world, 'regulator')
  expect((await ask(base, '/tokens', { headers: { authorization: `Bearer ${secret}` } })).status).toBe(403)
  expect((await call(`${base}/tests`, { headers: { cookie } })).status).toBe(403)
})

async function run(...words: string[]): Promise<string> {
  let text = ''
  const program = createProgram({ environment: world.environment, write: (part) => (text += part) })
  await program.exitOverride().parseAsync(['node', 'broadgauge', ...words])
  return text
}

it('lists the working tokens that a disabled person has made, and revokes them on request', async () => {
  const { password } = await user(world, 'regulator', 'maker', 'administrator')
  const make = async (cookie: string, label: string) => {
    const { body } = await ask(base, '/tokens', { method: 'POST', cookie, body: { label, scopes: ['data:read'] } })
    return body['data'] as { id: number; token: string }
  }
  const cookie = await signIn(base, 'maker', password)
  const theirs = [await make(cookie, 'nightly'), await make(cookie, 'weekly')]
  const over = await make(cookie, 'over')
  await ask(base, `/tokens/${over.id}`, { method: 'DELETE', cookie })
  const others = [await make(await signIn(base, 'ada@regulator.example', ada), 'of Ada')]
  const statuses = (tokens: { token: string }[]) =>
    Promise.all(tokens.map(async (one) => (await call(`${base}/tests`, { token: one.token })).status))
  const [nightly, weekly] = theirs.map(({ id }) => id)

  expect(await run('user', 'disable', 'maker')).toBe(
    `User maker is disabled.
These tokens that the user created are still valid:
  ${nightly}  nightly  regulator
  ${weekly}  weekly  regulator
Revoke one with: broadgauge token revoke <id>
Revoke all with: broadgauge user disable maker --revoke-tokens
`,
  )
  expect(await statuses(theirs)).toEqual([200, 200])
  await run('token', 'revoke', String(weekly))
  expect(JSON.parse(await run('user', 'disable', 'Maker', '--revoke-tokens', '--json'))).toMatchObject({
    disabled: true,
    tokens_revoked: true,
    tokens: [{ id: nightly, label: 'nightly', organisation: 'regulator' }],
  })
  expect([await statuses(theirs), await statuses(others)]).toEqual([[403, 403], [200]])
  expect(await run('user', 'disable', 'maker', '--revoke-tokens')).toBe('User maker is disabled.\n')
  const noted = `SELECT token_id FROM people_events JOIN users ON users.id = user_id
    WHERE name = 'maker' AND kind = 'token-revoked' ORDER BY people_events.id`
  expect(await runSql(world.superuserUrl, noted)).toEqual([{ token_id: over.id }, { token_id: nightly }])
})

it('makes no token for a person who is being disabled', async () => {
  const { password } = await user(world, 'regulator', 'late', 'administrator')
  const cookie = await signIn(base, 'late', password)
  const answer = await world.operate(async (operator) => {
    await operator.client.query('BEGIN')
    await operator.client.query(`UPDATE users SET disabled_at = now() WHERE name = 'late'`)
    const making = ask(base, '/tokens', { method: 'POST', cookie, body: { label: 'late', scopes: ['data:read'] } })
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await vi.waitUntil(async () => (await runSql(world.superuserUrl, waits)).length > 0, { timeout: 5_000 })
    await operator.client.query('COMMIT')
    return making
  })
  expect(answer.status).toBe(403)
  expect(await runSql(world.superuserUrl, `SELECT FROM tokens WHERE label = 'late'`)).toEqual([])
})

it('has a command line', async () => {
  const shown = await run('user', 'create', 'carrier', 'linus', '--role', 'administrator')
  const password = shown.trim().split('\n').at(-1) ?? ''
  expect((await attempt('linus', password)).status).toBe(200)
  expect(await run('user', 'list', 'carrier')).toContain('linus')
  expect(await run('user', 'list', 'carrier')).not.toContain(password)
  await expect(run('user', 'create', 'carrier', 'LINUS')).rejects.toThrow('users_name')
  await expect(run('user', 'create', 'carrier', 'a b')).rejects.toThrow('without spaces')
  await expect(run('user', 'password', 'nobody')).rejects.toThrow('There is no user nobody')
  expect(await run('user', 'password', 'linus')).toMatch(/\n\S{24}\n$/)
  expect(await run('user', 'role', 'Linus', 'analyst')).toBe('User Linus is now an analyst.\n')
  expect(await run('user', 'role', 'linus', 'analyst')).toBe('User linus is already an analyst.\n')
  expect(await run('user', 'role', 'linus', 'viewer')).toBe('User linus is now a viewer.\n')
  expect(JSON.parse(await run('user', 'role', 'linus', 'administrator', '--json'))).toMatchObject({
    role: 'administrator',
    changed: true,
  })
  await expect(run('user', 'role', 'linus', 'member')).rejects.toThrow(
    'a role is administrator, analyst or viewer, not "member"',
  )
  await expect(run('user', 'role', 'nobody', 'analyst')).rejects.toThrow('There is no user nobody')
  await run('user', 'disable', 'linus')
  const [listed] = await world.operate((operator) => findUsers(operator, 'carrier'))
  expect(listed).toMatchObject({ name: 'linus', role: 'administrator', sessions: 0, disabled_at: expect.any(Date) })
  const events = JSON.parse(await run('audit', 'people', '--organisation', 'carrier', '--json')) as { event: string }[]
  expect(events.map(({ event }) => event)).toEqual([
    'disabled',
    'made-administrator',
    'made-viewer',
    'made-analyst',
    'password-issued',
    'signed-in',
    'created',
  ])
})
