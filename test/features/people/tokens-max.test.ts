import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ask, signIn, user } from './people-world.ts'

let world: World
let base: string
const cookies = new Map<string, string>()

beforeAll(async () => {
  world = await openWorld()
  base = (await world.serve()).addresses.api
  for (const key of ['full', 'other', 'crowded', 'large']) {
    await organisation(world, key)
    const { password } = await user(world, key, `of-${key}`, 'administrator')
    cookies.set(key, await signIn(base, `of-${key}`, password))
  }
})
afterAll(() => world.close())

const sql = <Row extends object>(text: string) => runSql<Row & Record<string, unknown>>(world.superuserUrl, text)

type Past = { expires?: string; revoked?: string; ofSession?: boolean }

/** Inserts tokens. The times in `past` are SQL expressions. */
const tokensOf = (key: string, label: string, count: number, past: Past = {}) =>
  sql(`INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at, revoked_at, of_session)
       SELECT id, '${label} ' || n, 'bg_', sha256(('${key} ${label} ' || n)::bytea), '{data:read}',
         ${past.expires ?? 'NULL'}, ${past.revoked ?? 'NULL'}, ${past.ofSession ?? false}
       FROM organisations, generate_series(1, ${count}) AS n WHERE key = '${key}' ORDER BY n`)

const create = (key: string) =>
  ask(base, '/tokens', {
    method: 'POST',
    cookie: cookies.get(key) ?? '',
    body: { label: 'one more', scopes: ['data:read'] },
  })
const list = async (key: string) =>
  (await ask(base, '/tokens', { cookie: cookies.get(key) ?? '' })).body['data'] as { id: number; label: string }[]
const revoke = async (key: string, id: number) =>
  (await ask(base, `/tokens/${id}`, { method: 'DELETE', cookie: cookies.get(key) ?? '' })).status

const refused = {
  status: 422,
  body: {
    code: 'VALIDATION_FAIL',
    errors: { body: ['There may be at most 1000 tokens that work: revoke some first.'] },
  },
}

it('people can make tokens until a thousand are valid, also concurrently, and not one more', async () => {
  await tokensOf('full', 'standing', 985)
  await tokensOf('full', 'lasting', 5, { expires: `now() + interval '1 day'` })
  // Expired tokens, revoked tokens and tokens of sessions do not count.
  await tokensOf('full', 'over', 50, { expires: `now() - interval '1 second'` })
  await tokensOf('full', 'revoked', 50, { revoked: 'now()' })
  await tokensOf('full', 'console', 50, { ofSession: true })
  const together = await Promise.all(Array.from({ length: 20 }, () => create('full')))
  expect(together.filter(({ status }) => status === 200)).toHaveLength(10)
  for (const one of together.filter(({ status }) => status !== 200)) expect(one).toMatchObject(refused)
  expect(await sql(`SELECT FROM people_events WHERE kind = 'token-created'`)).toHaveLength(10)
})

it('a refused request uses up no token number, and the function of the previous version makes no token', async () => {
  const last = () => sql('SELECT last_value FROM tokens_id_seq')
  const before = await last()
  expect(await create('full')).toMatchObject(refused)
  const asBefore = `SELECT create_own_token(users.id, 'x', 'x', sha256('x'), '{data:read}', NULL, NULL, NULL)
    FROM users, set_config('broadgauge.organisation', users.organisation_id::text, false) WHERE name = 'of-full'`
  await expect(sql(asBefore)).rejects.toMatchObject({ code: 'TK001' })
  expect(await last()).toEqual(before)
})

it('revoking a token makes room for one; other organisations are not affected, and the operator may make more', async () => {
  expect((await create('other')).status).toBe(200)
  const byOperator = await token(world, 'full')
  expect((await call(`${base}/tests`, { token: byOperator })).status).toBe(200)
  const [first, second] = await list('full')
  expect(await revoke('full', first?.id ?? 0)).toBe(200)
  expect(await create('full')).toMatchObject(refused)
  expect(await revoke('full', second?.id ?? 0)).toBe(200)
  expect((await create('full')).status).toBe(200)
  expect(await create('full')).toMatchObject(refused)
})

it('lists at most a thousand: valid ones first, each group with the newest first', async () => {
  await tokensOf('crowded', 'old', 2, { expires: `now() + interval '1 day'` })
  await tokensOf('crowded', 'revoked', 600, { revoked: 'now()' })
  await tokensOf('crowded', 'over', 600, { expires: `now() - interval '1 second'` })
  await tokensOf('crowded', 'console', 10, { ofSession: true })
  await tokensOf('crowded', 'new', 1)
  const labels = (await list('crowded')).map(({ label }) => label)
  const downFrom = (label: string, from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `${label} ${from - index}`)
  const others = [...downFrom('over', 600, 600), ...downFrom('revoked', 600, 397)]
  expect(labels).toEqual(['new 1', 'old 2', 'old 1', ...others])
  await tokensOf('crowded', 'standing', 1_500)
  expect((await list('crowded')).map(({ label }) => label)).toEqual(downFrom('standing', 1_500, 1_000))
})

it('revokes a token with the largest possible number', async () => {
  const largest = 2_147_483_647
  await sql(`INSERT INTO tokens (id, organisation_id, label, visible_part, sha256, scopes) OVERRIDING SYSTEM VALUE
    SELECT ${largest}, id, 'last', 'bg_', sha256('last'), '{data:read}' FROM organisations WHERE key = 'large'`)
  expect(await list('large')).toMatchObject([{ id: largest, revoked_at: null }])
  expect(await revoke('large', largest)).toBe(200)
  expect(await list('large')).toMatchObject([{ id: largest, revoked_at: expect.any(String) }])
})
