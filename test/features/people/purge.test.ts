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

/**
 * Creates a session that ended or expired some time ago. `ended` and `expired` are PostgreSQL intervals before now.
 * Returns the number of its token.
 */
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

/** Starts an instance, which runs the purge job at its start and then every hour. Waits until `isDone` returns true. */
async function purged(isDone: () => Promise<boolean>): Promise<void> {
  await world.serve()
  await vi.waitUntil(isDone, { timeout: 10_000, interval: 50 })
}

const openSessions = () => sql<{ n: number }>('SELECT count(*)::int AS n FROM sessions').then(([row]) => row?.n ?? 0)

it('removes sessions that ended thirty days ago, and no others; their tokens stay marked as tokens of a session', async () => {
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
  // The purge job must keep the row of a session's token, because other rows refer to it.
  await sql(
    `INSERT INTO api_calls (organisation_id, token_id, endpoint, status, day, calls)
     SELECT organisation_id, id, 'GET /tests', 200, current_date, 1 FROM tokens WHERE id = $1`,
    [gone[0]],
  )
  const described = `SELECT id, organisation_id, label, visible_part, scopes, created_by, created_at, of_session
    FROM tokens ORDER BY id`
  const before = await sql(described)

  await purged(async () => (await openSessions()) <= kept.length + 1)

  const left = await sql<{ id: number }>('SELECT id FROM tokens WHERE session_id IS NOT NULL ORDER BY id')
  expect(left.map(({ id }) => id).slice(0, -1)).toEqual(kept)
  expect(left).toHaveLength(kept.length + 1)
  expect(await sql(described)).toEqual(before)
  expect((await ask(base, '/session', { cookie })).status).toBe(200)
  // After its session is deleted, the token must not appear among the tokens that users manage.
  const listed = (await ask(base, '/tokens', { cookie })).body['data'] as { label: string }[]
  expect(listed.map(({ label }) => label).filter((label) => label.startsWith('console'))).toEqual([])
  expect(listed).toHaveLength(1)
  expect((await ask(base, `/tokens/${gone[0]}`, { method: 'DELETE', cookie })).status).toBe(404)
  const stillUnrevoked = await sql('SELECT FROM tokens WHERE id = $1 AND revoked_at IS NULL', [gone[0]])
  expect(stillUnrevoked).toHaveLength(1)
})

it("shows the time of a person's last sign-in, also without any session left", async () => {
  const { password } = await user(world, 'regulator', 'seldom')
  await signIn(base, 'seldom', password)
  await sql(`UPDATE tokens SET created_at = '2026-01-05T10:00:00Z' WHERE label = 'console, seldom'`)
  await sql(
    `UPDATE sessions SET expires_at = now() - interval '31 days'
     WHERE user_id = (SELECT id FROM users WHERE name = 'seldom')`,
  )
  const before = await openSessions()
  await purged(async () => (await openSessions()) < before)
  const people = await world.operate((operator) => findUsers(operator, 'regulator'))
  const seldom = people.find(({ name }) => name === 'seldom')
  expect([seldom?.last_signed_in_at?.toISOString(), seldom?.sessions]).toEqual(['2026-01-05T10:00:00.000Z', 0])
})

it("removes people's events older than two years, and nothing later", async () => {
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
  await purged(async () => (await left()).length <= 2)
  expect((await left()).map(({ address }) => address)).toEqual(['2 years -1 minute', '1 minute'])
})

it('refuses a token that has a session but is not marked as a token of a session', async () => {
  await signIn(base, 'ada', ada)
  await expect(sql('UPDATE tokens SET of_session = false WHERE session_id IS NOT NULL')).rejects.toThrow(
    'tokens_of_session',
  )
})
