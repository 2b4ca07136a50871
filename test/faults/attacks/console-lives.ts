import type { Answer } from '../../kit/call.ts'
import { ask, cookieOf, tokenOf, user } from '../../features/people/people-world.ts'
import { forgetAttempts } from './console-effects.ts'
import type { ConsoleWorld } from './console-world.ts'
import type { Tally } from './tally.ts'
import { callers, type TenantName } from './tenant-world.ts'

type Judge = (what: string, answer: Answer, status: number) => void

/**
 * Users sign in, use their tokens and end their sessions. The end of a session must not affect other sessions and their
 * tokens.
 */
export async function liveThrough(
  tenants: ConsoleWorld,
  tally: Tally,
  caller: TenantName,
  round: number,
): Promise<void> {
  const judge: Judge = (what, { status, text }, expected) => {
    tally.count(String(status))
    if (status !== expected) tally.breach('Z4', `${what}: ${status}`, `${caller}: ${text.slice(0, 300)}`)
  }
  await forgetAttempts(tenants.world)
  const begin = async (name: string, password: string): Promise<string> => {
    const answer = await ask(tenants.base, '/session', { method: 'POST', body: { name, password } })
    judge('signing in', answer, 200)
    tally.count(`sessions of ${caller}`)
    const cookie = cookieOf(answer)
    tenants.secrets.add(cookie.split('=')[1] ?? '').add(await tokenOf(tenants.base, cookie))
    return cookie
  }
  const { administrator, analyst } = tenants.belongings[caller]
  const managing = await begin(administrator.name, administrator.password)
  await useToken(tenants, tally, judge, caller, managing)
  // Sign out, because the number of live sessions of a user is limited. After many rounds, a new session would end a
  // session that the test still needs.
  await signOut(tenants, judge, managing)
  await signOut(tenants, judge, await begin(analyst.name, analyst.password))
  const changer = `qz-${caller}-changer-${round}`
  const { password } = await user(tenants.world, caller, changer)
  const next = `chosen by ${changer}`
  tenants.secrets.add(password).add(next)
  const [here, elsewhere] = [await begin(changer, password), await begin(changer, password)]
  const left = await tokenOf(tenants.base, elsewhere)
  const change = { method: 'PUT', cookie: here, body: { current: password, new: next } }
  judge('choosing a password', await ask(tenants.base, '/password', change), 200)
  judge('a session of the old password', await ask(tenants.base, '/session', { cookie: elsewhere }), 403)
  judge('its token', await panelsBy(tenants, left), 403)
  judge('the session that chose it', await ask(tenants.base, '/session', { cookie: here }), 200)
  const old = { method: 'POST', body: { name: changer, password } }
  judge('the old password', await ask(tenants.base, '/session', old), 403)
  await begin(changer, next)
  await everybodyStays(tenants, judge)
}

const panelsBy = ({ base }: ConsoleWorld, token: string): Promise<Answer> =>
  ask(base, '/panels', { headers: { authorization: `Bearer ${token}` } })

async function useToken(tenants: ConsoleWorld, tally: Tally, judge: Judge, caller: TenantName, cookie: string) {
  const { base, cookies, secrets } = tenants
  const body = { label: `qz-${caller}-new`, scopes: ['data:read', 'metadata:read'] }
  const made = await ask(base, '/tokens', { method: 'POST', cookie, body })
  judge('making a token', made, 200)
  tally.count('tokens made')
  const { id, token } = made.body['data'] as { id: number; token: string }
  secrets.add(token)
  const revoke = (by: string) => ask(base, `/tokens/${id}`, { method: 'DELETE', cookie: by })
  for (const other of callers.filter((one) => one !== caller)) {
    const theirs = cookies[other].get('administrator')?.header ?? ''
    judge('revoking what others have just made', await revoke(theirs), 404)
    const listed = (await ask(base, '/tokens', { cookie: theirs })).body['data'] as { id: number }[]
    if (listed.some((one) => one.id === id)) tally.breach('Z4', 'a token of others is listed', `${other}: ${id}`)
  }
  judge('revoking without the role', await revoke(cookies[caller].get('analyst')?.header ?? ''), 403)
  const shown = await panelsBy(tenants, token)
  judge('the new token', shown, 200)
  for (const { key, owned } of shown.body['data'] as { key: string; owned: boolean }[]) {
    const isOwn = key === `qz-${caller}-panel` || (key === 'qz-lentx-panel' && caller === 'alder')
    if (owned !== isOwn) tally.breach('Z4', 'a panel owned by two', `${caller}: ${shown.text}`)
  }
  judge('revoking one’s own', await revoke(cookie), 200)
  judge('a token that was revoked', await panelsBy(tenants, token), 403)
}

async function signOut({ base, ...tenants }: ConsoleWorld, judge: Judge, cookie: string): Promise<void> {
  const token = await tokenOf(base, cookie)
  judge('signing out', await ask(base, '/session', { method: 'DELETE', cookie }), 200)
  judge('a session that was ended', await ask(base, '/session', { cookie }), 403)
  judge('its token after it', await panelsBy({ base, ...tenants }, token), 403)
}

/** Sessions of other users, and other sessions of the same user, must still be valid. */
async function everybodyStays({ base, cookies }: ConsoleWorld, judge: Judge): Promise<void> {
  for (const caller of callers) {
    for (const role of ['administrator', 'analyst']) {
      const cookie = cookies[caller].get(role)?.header ?? ''
      judge('a session that no person ended', await ask(base, '/session', { cookie }), 200)
    }
  }
}
