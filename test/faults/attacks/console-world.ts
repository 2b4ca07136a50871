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

/** A `Cookie` header, and as whom it lets one in; null: as nobody. */
export type Cookie = { readonly header: string | null; readonly secret: string | null; readonly role: Role | null }

/** What an organisation has in the console, or would have, for nobody (`nemos`). */
export type Belongings = {
  readonly administrator: Credentials
  readonly analyst: Credentials
  /** Signs in by the organisation's own provider. */
  readonly vouched: string
  /** Signs in, the operator has said, by the provider of another one. */
  readonly astray: string
  /** The key of its sign-in. */
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
  /** Passwords, sessions and tokens; what comes to be known later is added. */
  readonly secrets: Set<string>
}

/** A site the operator lets call the data interface from browsers. */
export const friend = 'https://friend.example'
const ways: Record<TenantName | 'nemos', string> = { alder: 'way-1', birch: 'way-2', cedar: 'way-3', nemos: 'way-9' }
const everyScope: TokenScope[] = ['data:read', 'metadata:read', 'metadata:write', 'ingest:write']
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
    vouched: 'qz-nemos-vouched',
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
  const next = callers[(callers.indexOf(who) + 1) % callers.length] ?? 'alder'
  const vouched = { organisation: who, name: `qz-${who}-vouched`, role: 'analyst' as const, provider: ways[who] }
  const astray = { ...vouched, name: `qz-${who}-astray`, provider: ways[next] }
  await world.operate((operator) => createUser(operator, vouched))
  await world.operate((operator) => createUser(operator, astray))
  const live = {
    administrator: await secretOf(administrator),
    analyst: await secretOf(analyst),
    demoted: await secretOf(demoted),
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
    vouched: vouched.name,
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
  // As those are that ended long ago; its token stays.
  await runSql(world.superuserUrl, 'DELETE FROM sessions WHERE sha256 = $1', [hashSecret(ended)])
  const { id } = made.body['data'] as { id: number }
  return { standing: standing.id, made: id, session, forgotten, revoked: revoked.id }
}

/** Every state a cookie can be in. */
function cookiesOf(
  live: Readonly<Record<Role | 'demoted', string>>,
  dead: Readonly<Record<string, string>>,
): ReadonlyMap<string, Cookie> {
  const of = (secret: string, role: Role | null): Cookie => ({ header: `broadgauge=${secret}`, secret, role })
  const nobody = (header: string | null): Cookie => ({ header, secret: null, role: null })
  const { administrator, analyst } = live
  return new Map<string, Cookie>([
    ['administrator', of(administrator, 'administrator')],
    ['analyst', of(analyst, 'analyst')],
    ['no longer an administrator', of(live.demoted, 'analyst')],
    ['none', nobody(null)],
    ...Object.entries(dead).map(([state, secret]) => [state, of(secret, null)] as const),
    ['altered', nobody(`broadgauge=${administrator.startsWith('A') ? 'B' : 'A'}${administrator.slice(1)}`)],
    ['what is stored of it', nobody(`broadgauge=${hashSecret(administrator).toString('base64url')}`)],
    ['two at once', nobody(`broadgauge=${analyst}; broadgauge=${administrator}`)],
    ['the name of HTTPS', nobody(`__Host-broadgauge=${administrator}`)],
    ['its token', nobody(`broadgauge=${sessionToken(administrator)}`)],
    ['nonsense', nobody("broadgauge=' OR 1=1 --")],
  ])
}

/** Tokens that come with sessions, and what is not one. Those of sessions that have expired last a little longer, and are not looked at. */
function sessionTokens(cookies: ReadonlyMap<string, Cookie>): [string, TenantToken][] {
  const scopesOf: Record<string, TokenScope[]> = {
    administrator: [...readScopes, 'metadata:write'],
    analyst: readScopes,
    'no longer an administrator': readScopes,
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
