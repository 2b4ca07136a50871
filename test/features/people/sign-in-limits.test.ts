import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { issueDevice } from '../../../src/base/device-cookie.ts'
import { unusedHash } from '../../../src/base/password.ts'
import { peopleLimits } from '../../../src/base/limits.ts'
import { issuePassword } from '../../../src/engine/postgres/operator/users.ts'
import type { Answer } from '../../kit/call.ts'
import { organisation } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ask, cookieOf, tokenOf, user } from './people-world.ts'

let world: World
let base: string

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'regulator')
  base = (await world.serve({ BROADGAUGE_TRUST_PROXY: 'true' })).addresses.api
})
afterAll(() => world.close())

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  runSql<Row & Record<string, unknown>>(world.superuserUrl, text, values)

afterEach(() => sql(`DELETE FROM limit_buckets WHERE kind LIKE 'sign-in-%'`))

type From = { address?: string; cookie?: string; at?: string }

const attempt = (name: string, password: string, { address = '198.51.100.7', cookie, at = base }: From = {}) =>
  ask(at, '/session', {
    method: 'POST',
    body: { name, password },
    headers: { 'x-forwarded-for': address },
    ...(cookie === undefined ? {} : { cookie }),
  })

const deviceOf = ({ headers }: Answer): string =>
  (headers.getSetCookie().find((one) => one.startsWith('broadgauge-device=')) ?? '').split(';')[0] ?? ''

/**
 * Makes `count` attempts, eight at a time. If more ran concurrently, the queue for password hashing would be full.
 * Returns the statuses.
 */
async function guess(name: string, count: number, addressOf: (index: number) => string): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 8) {
    const together = Array.from({ length: Math.min(8, count - index) }, (_, offset) =>
      attempt(name, 'a guess', { address: addressOf(index + offset) }),
    )
    statuses.push(...(await Promise.all(together)).map(({ status }) => status))
  }
  return statuses
}

const checked = (statuses: readonly number[]): number => statuses.filter((status) => status === 403).length
const own = '203.0.113.5'
const oneNetwork = () => '198.51.100.7'
const manyNetworks = (index: number) => `2001:db8:${index.toString(16)}::1`
const balanceOf = async (kind: string, subject: string): Promise<number | undefined> => {
  const text = 'SELECT balance FROM limit_buckets WHERE kind = $1 AND subject = $2'
  return (await sql<{ balance: number }>(text, [`sign-in-${kind}`, subject]))[0]?.balance
}

describe('an attacker who knows a name', { timeout: 120_000 }, () => {
  it("cannot lock the person's own network out by a thousand failures from another", async () => {
    const { password } = await user(world, 'regulator', 'ada')
    const statuses = await guess('ada', 1_000, oneNetwork)
    expect(checked(statuses)).toBeGreaterThanOrEqual(peopleLimits.signInsByNameAndNetworkMax)
    // The bucket refills a little during the attempts, so a few more attempts may pass.
    expect(checked(statuses)).toBeLessThanOrEqual(peopleLimits.signInsByNameAndNetworkMax + 2)
    expect((await attempt('ada', password, { address: own })).status).toBe(200)
  })

  it('has a fixed number of guesses over all networks, and cannot lock a known device out by a thousand', async () => {
    const { password } = await user(world, 'regulator', 'bea')
    const cookie = deviceOf(await attempt('bea', password, { address: own }))
    const statuses = await guess('bea', 1_000, manyNetworks)
    expect(checked(statuses)).toBeGreaterThanOrEqual(peopleLimits.signInsByNameMax)
    expect(checked(statuses)).toBeLessThanOrEqual(peopleLimits.signInsByNameMax + 10)
    expect((await attempt('bea', password, { address: own })).status).toBe(429)
    expect((await attempt('bea', password, { address: own, cookie })).status).toBe(200)
    // The known device may sign in from any network, even from a network that has made many attempts.
    expect((await attempt('bea', password, { address: manyNetworks(0), cookie })).status).toBe(200)
  })

  it('leaves a fourth network its attempts after using up those of three', async () => {
    const { password } = await user(world, 'regulator', 'carol')
    const statuses = await guess('carol', 120, (index) => `198.51.100.${index % 3}`)
    expect(checked(statuses)).toBeGreaterThanOrEqual(3 * peopleLimits.signInsByNameAndNetworkMax)
    expect((await attempt('carol', password, { address: own })).status).toBe(200)
  })

  it('cannot lock a known device out by attempts at many names', async () => {
    const { password } = await user(world, 'regulator', 'dora')
    const cookie = deviceOf(await attempt('dora', password, { address: own }))
    const crowd = Array.from({ length: 60 }, (_, index) =>
      attempt(`crowd-${index}`, 'x', { address: manyNetworks(index) }),
    )
    const amidst = await attempt('dora', password, { address: own, cookie })
    expect(amidst.status).toBe(200)
    expect((await Promise.all(crowd)).some(({ status }) => status === 429)).toBe(true)
  })

  it('gets the same answers for an existing name and an unknown one, before the limit and after', async () => {
    await user(world, 'regulator', 'real')
    for (const name of ['real', 'unreal']) {
      const answers: Answer[] = []
      for (let index = 0; index <= peopleLimits.signInsByNameAndNetworkMax; index += 1)
        answers.push(await attempt(name, 'x', { address: `192.0.2.${name.length}` }))
      const seen = answers.map(({ status, text, headers }) => [status, text, headers.get('ratelimit-limit')])
      const wrong = [403, '{"code":"ACCESS_DENIED","message":"The name or the password is wrong."}', null]
      expect([name, ...seen.slice(0, -1)]).toEqual([name, ...seen.slice(0, -1).map(() => wrong)])
      expect([name, ...(seen.at(-1) ?? [])]).toEqual([
        name,
        429,
        expect.stringContaining('Too many attempts to sign in'),
        String(peopleLimits.signInsByNameAndNetworkMax),
      ])
      expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeLessThanOrEqual(90)
    }
  })
})

describe('attempts', () => {
  it('are counted over all instances together', async () => {
    const other = (await world.serve({ BROADGAUGE_TRUST_PROXY: 'true' })).addresses.api
    await attempt('Nobody-At-All', 'x')
    await sql(`UPDATE limit_buckets SET balance = 3 WHERE subject = 'nobody-at-all 198.51.100.7'`)
    const answers = await Promise.all([base, other, base, other].map((at) => attempt('nobody-at-all', 'x', { at })))
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['403', '403', '403', '429'])
  })

  it('cost the network also when refused, and nothing with the right password', async () => {
    const { password } = await user(world, 'regulator', 'erin')
    const left = async () => Math.round((await balanceOf('address', '198.51.100.7')) ?? 0)
    await attempt('erin', 'x')
    expect(await left()).toBe(peopleLimits.signInsByNetworkMax - 1)
    await attempt('erin', password)
    expect(await left()).toBe(peopleLimits.signInsByNetworkMax - 1)
    await sql(`UPDATE limit_buckets SET balance = 0 WHERE kind = 'sign-in-name-address'`)
    expect((await attempt('erin', password)).status).toBe(429)
    expect(await left()).toBe(peopleLimits.signInsByNetworkMax - 2)
  })

  it('create no further bucket for a network over its limit, and are not checked', async () => {
    const { password } = await user(world, 'regulator', 'fay')
    await attempt('somebody', 'x')
    await sql(`UPDATE limit_buckets SET balance = 0.5 WHERE kind = 'sign-in-address'`)
    expect((await attempt('made-up', 'x')).status).toBe(429)
    expect((await attempt('fay', password)).status).toBe(429)
    const names = await sql<{ subject: string }>(`SELECT subject FROM limit_buckets WHERE kind = 'sign-in-name'`)
    expect(names).toEqual([{ subject: 'somebody' }])
    expect(await balanceOf('address', '198.51.100.7')).toBeLessThan(1)
  })

  it('are forgotten when their buckets have refilled, and not before', async () => {
    const { password } = await user(world, 'regulator', 'olga')
    const cookie = deviceOf(await attempt('olga', password))
    await attempt('olga', 'x', { cookie })
    await attempt('olga', 'x')
    const kinds = async () => {
      const rows = await sql<{ kind: string }>(
        `SELECT kind FROM limit_buckets WHERE kind LIKE 'sign-in-%' ORDER BY kind`,
      )
      return rows.map(({ kind }) => kind.replace('sign-in-', ''))
    }
    const purge = () =>
      sql(`SELECT purge('sign_in_buckets', $1::interval, 10000)`, [`${peopleLimits.signInRefillMs} milliseconds`])
    await purge()
    expect(await kinds()).toEqual(['address', 'device', 'name', 'name-address', 'user'])
    await sql(`UPDATE limit_buckets SET filled_at = filled_at - interval '16 minutes'`)
    await purge()
    expect(await kinds()).toEqual([])
  })

  it('are not counted if the queue for the hash was full', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `queue-${index}`)
    const answers = await Promise.all(names.map((name) => attempt(name, 'x')))
    const answered = (status: number) => names.filter((_, index) => answers[index]?.status === status)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('ratelimit-limit')).toBe('21')
    const charged = await sql<{ subject: string }>(
      `SELECT subject FROM limit_buckets WHERE kind = 'sign-in-name' AND balance < ${peopleLimits.signInsByNameMax}`,
    )
    expect(charged.map(({ subject }) => subject).toSorted()).toEqual(answered(403).toSorted())
  }, 60_000)
})

describe('a known device', () => {
  it('has its own limit, which ends', async () => {
    const { password } = await user(world, 'regulator', 'gina')
    const cookie = deviceOf(await attempt('gina', password))
    const statuses: number[] = []
    for (let index = 0; index <= peopleLimits.signInsByDeviceMax; index += 1)
      statuses.push((await attempt('gina', 'x', { cookie })).status)
    expect([checked(statuses), statuses.at(-1)]).toEqual([peopleLimits.signInsByDeviceMax, 429])
    expect((await attempt('gina', password, { cookie })).status).toBe(429)
    // Without the cookie, the browser is an unknown device, to which another limit applies.
    expect((await attempt('gina', password)).status).toBe(200)
  })

  it('is known for one person only, and not by an altered or invented cookie', async () => {
    const { password } = await user(world, 'regulator', 'hana')
    await user(world, 'regulator', 'ines')
    const cookie = deviceOf(await attempt('hana', password))
    const swapped = cookie.replace(/=(.)/, (_, first: string) => `=${first === 'A' ? 'B' : 'A'}`)
    const forged = `broadgauge-device=${issueDevice(Buffer.alloc(16), unusedHash)}`
    await attempt('somebody', 'x')
    await sql(`UPDATE limit_buckets SET balance = -10 WHERE kind = 'sign-in-address'`)
    for (const [name, sent] of [
      ['ines', cookie],
      ['hana', swapped],
      ['hana', forged],
      ['nobody', forged],
      ['hana', `${cookie}; ${swapped}`],
    ] as const) {
      expect([name, sent, (await attempt(name, 'x', { cookie: sent })).status]).toEqual([name, sent, 429])
    }
    expect((await attempt('hana', password, { cookie })).status).toBe(200)
  })

  it('keeps its cookie over sign-ins, and is unknown after a change of the password', async () => {
    const { password } = await user(world, 'regulator', 'jill')
    const first = await attempt('jill', password)
    const cookie = deviceOf(first)
    const elsewhere = deviceOf(await attempt('jill', password))
    expect(elsewhere).not.toBe(cookie)
    expect(deviceOf(await attempt('jill', password, { cookie }))).toBe(cookie)
    const isKnown = async (device: string, secret: string) => {
      await attempt('somebody', 'x')
      await sql(`UPDATE limit_buckets SET balance = -10 WHERE kind = 'sign-in-address'`)
      return (await attempt('jill', secret, { cookie: device })).status === 200
    }
    expect([await isKnown(cookie, password), await isKnown(elsewhere, password)]).toEqual([true, true])

    const changed = await ask(base, '/password', {
      method: 'PUT',
      cookie: `${cookieOf(first)}; ${cookie}`,
      body: { current: password, new: 'a longer one, chosen' },
    })
    const here = deviceOf(changed)
    const known = [cookie, elsewhere, here].map((one) => isKnown(one, 'a longer one, chosen'))
    expect([changed.status, await Promise.all(known)]).toEqual([200, [false, false, true]])

    const { password: issued } = await world.operate((operator) => issuePassword(operator, 'jill'))
    expect(await isKnown(here, issued)).toBe(false)
  })
})

describe('a person with the right password', () => {
  it('can sign in a fixed number of times in a quarter of an hour; more count as attempts', async () => {
    const { password } = await user(world, 'regulator', 'kate')
    const statuses: number[] = []
    for (let index = 0; index <= peopleLimits.signInsByUserMax; index += 1)
      statuses.push((await attempt('kate', password)).status)
    expect(statuses).toEqual([...Array<number>(peopleLimits.signInsByUserMax).fill(200), 429])
    expect(await balanceOf('name-address', 'kate 198.51.100.7')).toBeLessThan(peopleLimits.signInsByNameAndNetworkMax)
    const sessions = `SELECT FROM sessions JOIN users ON users.id = user_id WHERE name = 'kate'`
    expect(await sql(sessions)).toHaveLength(peopleLimits.signInsByUserMax)
    // Other people are not affected.
    const { password: other } = await user(world, 'regulator', 'lena')
    expect((await attempt('lena', other)).status).toBe(200)
  }, 60_000)

  it('has a maximum of live sessions; a new one ends the least recently used with its token, and records it', async () => {
    const { password } = await user(world, 'regulator', 'mona')
    const cookies: string[] = []
    const signInAgain = async () => {
      await sql(`DELETE FROM limit_buckets WHERE kind LIKE 'sign-in-%'`)
      cookies.push(cookieOf(await attempt('mona', password)))
    }
    for (let index = 0; index < peopleLimits.sessionsMax; index += 1) await signInAgain()
    const status = async (cookie = '') => (await ask(base, '/session', { cookie })).status
    const [first = '', second = ''] = cookies
    const token = await tokenOf(base, second)
    // Use all sessions except the second. Then the second session is the least recently used one.
    await sql(`UPDATE sessions SET seen_at = seen_at - interval '1 minute'`)
    for (const cookie of cookies.filter((one) => one !== second)) expect(await status(cookie)).toBe(200)
    await signInAgain()
    expect([await status(first), await status(second), await status(cookies.at(-1))]).toEqual([200, 403, 200])
    const panels = await ask(base, '/panels', { headers: { authorization: `Bearer ${token}` } })
    expect(panels.status).toBe(403)
    const live = `SELECT FROM sessions JOIN users ON users.id = user_id WHERE name = 'mona' AND ended_at IS NULL`
    expect(await sql(live)).toHaveLength(peopleLimits.sessionsMax)
    const evicted = `SELECT t.revoked_at IS NOT NULL AS over FROM people_events e JOIN users u ON u.id = e.user_id
      JOIN tokens t ON t.id = e.token_id WHERE u.name = 'mona' AND e.kind = 'session-evicted'`
    expect(await sql(evicted)).toEqual([{ over: true }])
  }, 60_000)

  it('does not exceed the maximum when two sessions begin concurrently: the second waits for the first', async () => {
    const { id } = await user(world, 'regulator', 'nora')
    const begin = `SELECT begin_session(${id}, NULL, sha256(gen_random_uuid()::text::bytea),
      sha256(gen_random_uuid()::text::bytea), 'bg_', '12 hours', '15 minutes', NULL, NULL)`
    for (let index = 1; index < peopleLimits.sessionsMax; index += 1) await sql(begin)
    await world.operate(async ({ client }) => {
      await client.query('BEGIN')
      await client.query(begin)
      const second = sql(begin)
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await vi.waitUntil(async () => (await sql(waits)).length > 0, { timeout: 5_000 })
      await client.query('COMMIT')
      await second
    })
    const live = `SELECT FROM sessions WHERE user_id = ${id} AND ended_at IS NULL`
    expect(await sql(live)).toHaveLength(peopleLimits.sessionsMax)
  })
})
