import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { findUsers } from '../../../src/engine/postgres/operator/users.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ask, signIn, user } from './people-world.ts'

let world: World
let base: string
let ada: string

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'regulator')
  ada = (await user(world, 'regulator', 'ada', 'administrator')).password
  base = (await world.serve()).addresses.api
})
afterAll(() => world.close())

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  runSql<Row & Record<string, unknown>>(world.superuserUrl, text, values)

/** A session as it would be had it been begun and ended then; the number of its token. */
async function sessionOver({ ended, expired }: { ended: string | null; expired: string }): Promise<number> {
  const cookie = await signIn(base, 'ada', ada)
  if (ended !== null) await ask(base, '/session', { method: 'DELETE', cookie })
  const [row] = await sql<{ id: number }>(
    `UPDATE sessions SET created_at = now() - $2::interval - interval '12 hours', expires_at = now() - $2::interval,
       ended_at = now() - $1::interval
     WHERE id = (SELECT max(id) FROM sessions) RETURNING (SELECT id FROM tokens WHERE session_id = sessions.id) AS id`,
    [ended, expired],
  )
  await sql(`UPDATE tokens SET created_at = now() - $2::interval, expires_at = now() - $2::interval WHERE id = $1`, [
    row?.id,
    expired,
  ])
  return row?.id ?? 0
}

/** What has had its time is removed when a service starts, and each hour after. */
async function keptHouse(isDone: () => Promise<boolean>): Promise<void> {
  await world.serve()
  await vi.waitUntil(isDone, { timeout: 10_000, interval: 50 })
}

const openSessions = () => sql<{ n: number }>('SELECT count(*)::int AS n FROM sessions').then(([row]) => row?.n ?? 0)

it('removes sessions that have been over for thirty days, and no others; their tokens stay theirs', async () => {
  const gone = [
    await sessionOver({ ended: null, expired: '30 days 1 minute' }),
    await sessionOver({ ended: '30 days 1 minute', expired: '29 days 20 hours' }),
    await sessionOver({ ended: '30 days 1 minute', expired: '30 days 1 minute' }),
  ]
  const kept = [
    await sessionOver({ ended: null, expired: '29 days 23 hours 59 minutes' }),
    await sessionOver({ ended: '29 days 23 hours 59 minutes', expired: '29 days 13 hours' }),
  ]
  const cookie = await signIn(base, 'ada', ada)
  await token(world, 'regulator', ['data:read'])
  // What refers to the token of a session goes on doing so.
  await sql(
    `INSERT INTO api_calls (organisation_id, token_id, endpoint, status, day, calls)
     SELECT organisation_id, id, 'GET /tests', 200, current_date, 1 FROM tokens WHERE id = $1`,
    [gone[0]],
  )
  const described = `SELECT id, organisation_id, label, visible_part, scopes, created_by, created_at, of_session
    FROM tokens ORDER BY id`
  const before = await sql(described)

  await keptHouse(async () => (await openSessions()) <= kept.length + 1)

  const left = await sql<{ id: number }>('SELECT id FROM tokens WHERE session_id IS NOT NULL ORDER BY id')
  expect(left.map(({ id }) => id).slice(0, -1)).toEqual(kept)
  expect(left).toHaveLength(kept.length + 1)
  expect(await sql(described)).toEqual(before)
  expect((await ask(base, '/session', { cookie })).status).toBe(200)
  // A token whose session is gone does not become one that people manage.
  const listed = (await ask(base, '/tokens', { cookie })).body['data'] as { label: string }[]
  expect(listed.map(({ label }) => label).filter((label) => label.startsWith('console'))).toEqual([])
  expect(listed).toHaveLength(1)
  expect((await ask(base, `/tokens/${gone[0]}`, { method: 'DELETE', cookie })).status).toBe(404)
  const stillUnrevoked = await sql('SELECT FROM tokens WHERE id = $1 AND revoked_at IS NULL', [gone[0]])
  expect(stillUnrevoked).toHaveLength(1)
})

it('tells when somebody last signed in, also when no session is left of it', async () => {
  const { password } = await user(world, 'regulator', 'seldom')
  await signIn(base, 'seldom', password)
  await sql(`UPDATE tokens SET created_at = '2026-01-05T10:00:00Z' WHERE label = 'console, seldom'`)
  await sql(
    `UPDATE sessions SET expires_at = now() - interval '31 days'
     WHERE user_id = (SELECT id FROM users WHERE name = 'seldom')`,
  )
  const before = await openSessions()
  await keptHouse(async () => (await openSessions()) < before)
  const people = await world.operate((operator) => findUsers(operator, 'regulator'))
  const seldom = people.find(({ name }) => name === 'seldom')
  expect([seldom?.last_signed_in_at?.toISOString(), seldom?.sessions]).toEqual(['2026-01-05T10:00:00.000Z', 0])
})

it('removes what people did more than two years ago, and nothing later', async () => {
  await sql('DELETE FROM people_events')
  const ages = ['2 years 1 minute', '3 years', '2 years -1 minute', '1 minute']
  for (const age of ages) {
    await sql(
      `INSERT INTO people_events (happened_at, organisation_id, user_id, kind, address)
       SELECT now() - $1::text::interval, organisation_id, id, 'signed-in', $1 FROM users WHERE name = 'ada'`,
      [age],
    )
  }
  const left = () => sql<{ address: string }>('SELECT address FROM people_events ORDER BY happened_at')
  await keptHouse(async () => (await left()).length <= 2)
  expect((await left()).map(({ address }) => address)).toEqual(['2 years -1 minute', '1 minute'])
})

it('lets a token be of a session only when it says so', async () => {
  await signIn(base, 'ada', ada)
  await expect(sql('UPDATE tokens SET of_session = false WHERE session_id IS NOT NULL')).rejects.toThrow(
    'tokens_of_session',
  )
})
