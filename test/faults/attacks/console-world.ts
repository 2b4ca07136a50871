import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TokenScope } from '../../../src/base/caller.ts'
import type { Role } from '../../../src/base/person.ts'
import { hashSecret, sessionToken } from '../../../src/base/token.ts'
import { createToken, revokeToken } from '../../../src/engine/postgres/operator/tokens.ts'
import { changeRole, createUser, disableUser, issuePassword } from '../../../src/engine/postgres/operator/users.ts'
import { freePort } from '../../kit/free-port.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ask, signIn, user } from '../../features/people/people-world.ts'
import { openIssuer } from './open-id-issuer.ts'
import { callers, plantTenants, type TenantName, type TenantToken, type TenantWorld } from './tenant-world.ts'

/** A `Cookie` header, and the role of its session. The role is null if the cookie is invalid. */
export type Cookie = { readonly header: string | null; readonly secret: string | null; readonly role: Role | null }

/**
 * The users, sessions and tokens of an organisation. The organisation `nemos` does not exist; its names are unknown.
 */
export type Belongings = {
  readonly administrator: Credentials
  readonly analyst: Credentials
  /** The name of a user who signs in by the provider of the organisation. */
  readonly identified: string
  /** The name of a user whom the operator has registered for the provider of another organisation. */
  readonly astray: string
  /** The identifier of the organisation's identity provider. */
  readonly way: string
  readonly tokenIds: Readonly<Record<'standing' | 'made' | 'session' | 'forgotten' | 'revoked', number>>
}
type Credentials = { readonly name: string; readonly password: string }

export type ConsoleWorld = Omit<TenantWorld, 'tokens' | 'secrets'> & {
  readonly base: string
  readonly issuer: string
  readonly belongings: Readonly<Record<TenantName | 'nemos', Belongings>>
  readonly cookies: Readonly<Record<TenantName, ReadonlyMap<string, Cookie>>>
  readonly tokens: Readonly<Record<TenantName, ReadonlyMap<string, TenantToken>>>
  /** All passwords, session secrets, tokens and client secrets. The tests add the secrets that they create later. */
  readonly secrets: Set<string>
}

/** A site whose pages the operator allows to call the data interface from browsers. */
export const friend = 'https://friend.example'
const ways: Record<TenantName | 'nemos', string> = { alder: 'way-1', birch: 'way-2', cedar: 'way-3', nemos: 'way-9' }
const everyScope: TokenScope[] = ['data:read', 'metadata:read', 'metadata:write', 'ingest:write', 'questions:write']
const readScopes: TokenScope[] = ['data:read', 'metadata:read']

export async function openConsoleWorld(): Promise<ConsoleWorld> {
  const world = await openWorld({ clickhouse: true })
  const port = await freePort()
  const file = join(tmpdir(), `sign-in-${randomBytes(6).toString('hex')}.json`)
  const clients = callers.map((one) => ({ id: ways[one], secret: randomBytes(12).toString('hex'), organisation: one }))
  const signIns = clients.map(({ id, secret, organisation }) => ({
    key: id,
    title: id,
    organisation,
    issuer: `http://127.0.0.1:${port}`,
    client_id: id,
    client_secret: secret,
  }))
  writeFileSync(file, JSON.stringify(signIns))
  const settings = { BROADGAUGE_SIGN_IN_FILE: file, BROADGAUGE_CORS_ORIGINS: friend }
  const { tokens, secrets: bearers, ...planted } = await plantTenants(world, settings)
  rmSync(file)
  const base = planted.service.addresses.api
  const issuer = openIssuer(port, `${base}/console/api/sign-in`, clients)
  const secrets = new Set([
    ...bearers.flatMap((one) => one.split(' ')[1] ?? []),
    ...clients.map(({ secret }) => secret),
  ])
  const of = async (who: TenantName) => plantPeople(world, base, who, secrets)
  const [alder, birch, cedar] = [await of('alder'), await of('birch'), await of('cedar')]
  for (const cookie of [...alder.cookies.values(), ...birch.cookies.values(), ...cedar.cookies.values()]) {
    if (cookie.secret !== null) secrets.add(cookie.secret).add(sessionToken(cookie.secret))
  }
  const nemos: Belongings = {
    administrator: { name: 'qz-nemos-administrator', password: randomBytes(18).toString('base64url') },
    analyst: { name: 'qz-nemos-analyst', password: randomBytes(18).toString('base64url') },
    identified: 'qz-nemos-identified',
    astray: 'qz-nemos-astray',
    way: ways.nemos,
    tokenIds: {
      standing: 900_000_001,
      made: 900_000_002,
      session: 900_000_003,
      forgotten: 900_000_004,
      revoked: 900_000_005,
    },
  }
  return {
    ...planted,
    base,
    issuer: issuer.address,
    belongings: { alder: alder.belongings, birch: birch.belongings, cedar: cedar.belongings, nemos },
    cookies: { alder: alder.cookies, birch: birch.cookies, cedar: cedar.cookies },
    tokens: {
      alder: new Map([...tokens.alder, ...sessionTokens(alder.cookies)]),
      birch: new Map([...tokens.birch, ...sessionTokens(birch.cookies)]),
      cedar: new Map([...tokens.cedar, ...sessionTokens(cedar.cookies)]),
    },
    secrets,
    close: async () => {
      issuer.close()
      await world.close()
    },
  }
}

async function plantPeople(world: World, base: string, who: TenantName, secrets: Set<string>) {
  const person = async (kind: string, role: Role): Promise<Credentials> => {
    const name = `qz-${who}-${kind}`
    const { password } = await user(world, who, name, role)
    secrets.add(password)
    return { name, password }
  }
  const secretOf = async ({ name, password }: Credentials) => (await signIn(base, name, password)).split('=')[1] ?? ''
  const administrator = await person('administrator', 'administrator')
  const analyst = await person('analyst', 'analyst')
  const leaver = await person('leaver', 'administrator')
  const renewed = await person('renewed', 'administrator')
  const demoted = await person('demoted', 'administrator')
  const viewer = await person('viewer', 'viewer')
  const next = callers[(callers.indexOf(who) + 1) % callers.length] ?? 'alder'
  const identified = { organisation: who, name: `qz-${who}-identified`, role: 'analyst' as const, provider: ways[who] }
  const astray = { ...identified, name: `qz-${who}-astray`, provider: ways[next] }
  await world.operate((operator) => createUser(operator, identified))
  await world.operate((operator) => createUser(operator, astray))
  const live = {
    administrator: await secretOf(administrator),
    analyst: await secretOf(analyst),
    demoted: await secretOf(demoted),
    viewer: await secretOf(viewer),
  }
  const dead = {
    ended: await secretOf(administrator),
    forgotten: await secretOf(administrator),
    expired: await secretOf(administrator),
    idle: await secretOf(administrator),
    disabled: await secretOf(leaver),
    'of a password since replaced': await secretOf(renewed),
  }
  for (const secret of [dead.ended, dead.forgotten]) {
    await ask(base, '/session', { method: 'DELETE', cookie: `broadgauge=${secret}` })
  }
  const change = (assignment: string, secret: string) =>
    runSql(world.superuserUrl, `UPDATE sessions SET ${assignment} WHERE sha256 = $1`, [hashSecret(secret)])
  await change(`expires_at = now() - interval '1 second'`, dead.expired)
  await change(`seen_at = now() - interval '61 minutes'`, dead.idle)
  await world.operate((operator) => disableUser(operator, leaver.name))
  await world.operate((operator) => issuePassword(operator, renewed.name)).then(({ password }) => secrets.add(password))
  await world.operate((operator) => changeRole(operator, demoted.name, 'analyst'))
  const tokenIds = await plantTokens(world, base, who, live.administrator, dead.forgotten)
  const belongings: Belongings = {
    administrator,
    analyst,
    identified: identified.name,
    astray: astray.name,
    way: ways[who],
    tokenIds,
  }
  return { belongings, cookies: cookiesOf(live, dead) }
}

async function plantTokens(
  world: World,
  base: string,
  who: TenantName,
  secret: string,
  ended: string,
): Promise<Belongings['tokenIds']> {
  const make = (what: string) =>
    world.operate((operator) =>
      createToken(operator, { organisation: who, label: `qz-${who}-${what}`, scopes: everyScope, expiresAt: null }),
    )
  const [standing, revoked] = [await make('standing'), await make('revoked')]
  await world.operate((operator) => revokeToken(operator, revoked.id))
  const body = { label: `qz-${who}-made`, scopes: readScopes }
  const made = await ask(base, '/tokens', { method: 'POST', cookie: `broadgauge=${secret}`, body })
  const tokenIdOf = async (of: string): Promise<number> => {
    const text = 'SELECT t.id FROM tokens t JOIN sessions s ON s.id = t.session_id WHERE s.sha256 = $1'
    const [token] = await runSql<{ id: number }>(world.superuserUrl, text, [hashSecret(of)])
    return token?.id ?? 0
  }
  const session = await tokenIdOf(secret)
  const forgotten = await tokenIdOf(ended)
  // Simulates a session that ended long ago: the purge job has removed it, and its token is still stored.
  await runSql(world.superuserUrl, 'DELETE FROM sessions WHERE sha256 = $1', [hashSecret(ended)])
  const { id } = made.body['data'] as { id: number }
  return { standing: standing.id, made: id, session, forgotten, revoked: revoked.id }
}

/** A cookie for every state of a session, and invalid cookies. */
function cookiesOf(
  live: Readonly<Record<Role | 'demoted', string>>,
  dead: Readonly<Record<string, string>>,
): ReadonlyMap<string, Cookie> {
  const of = (secret: string, role: Role | null): Cookie => ({ header: `broadgauge=${secret}`, secret, role })
  const invalid = (header: string | null): Cookie => ({ header, secret: null, role: null })
  const { administrator, analyst } = live
  return new Map<string, Cookie>([
    ['administrator', of(administrator, 'administrator')],
    ['analyst', of(analyst, 'analyst')],
    ['no longer an administrator', of(live.demoted, 'analyst')],
    ['viewer', of(live.viewer, 'viewer')],
    ['none', invalid(null)],
    ...Object.entries(dead).map(([state, secret]) => [state, of(secret, null)] as const),
    ['altered', invalid(`broadgauge=${administrator.startsWith('A') ? 'B' : 'A'}${administrator.slice(1)}`)],
    ['what is stored of it', invalid(`broadgauge=${hashSecret(administrator).toString('base64url')}`)],
    ['two at once', invalid(`broadgauge=${analyst}; broadgauge=${administrator}`)],
    ['the name of HTTPS', invalid(`__Host-broadgauge=${administrator}`)],
    ['its token', invalid(`broadgauge=${sessionToken(administrator)}`)],
    ['nonsense', invalid("broadgauge=' OR 1=1 --")],
  ])
}

/**
 * Tokens of sessions, and values that are not tokens. Tokens of expired sessions are left out, because such a token
 * stays valid a little longer than its session.
 */
function sessionTokens(cookies: ReadonlyMap<string, Cookie>): [string, TenantToken][] {
  const scopesOf: Record<string, TokenScope[]> = {
    administrator: [...readScopes, 'metadata:write', 'questions:write'],
    analyst: [...readScopes, 'questions:write'],
    'no longer an administrator': [...readScopes, 'questions:write'],
    viewer: readScopes,
    ended: [],
    forgotten: [],
    disabled: [],
    'of a password since replaced': [],
  }
  const administrator = cookies.get('administrator')?.secret ?? ''
  return [
    ...Object.entries(scopesOf).map(([state, scopes]): [string, TenantToken] => {
      const header = `Bearer ${sessionToken(cookies.get(state)?.secret ?? '')}`
      return [`of a session, ${state}`, { header, scopes }]
    }),
    ['of a session, bare', { header: sessionToken(administrator), scopes: [] }],
    ['a session’s secret', { header: `Bearer ${administrator}`, scopes: [] }],
  ]
}
