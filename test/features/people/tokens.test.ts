import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, type Answer } from '../../kit/call.ts'
import { agent, asLines, organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { findPeopleEvents } from '../../../src/engine/postgres/operator/audit.ts'
import { findTokens } from '../../../src/engine/postgres/operator/tokens.ts'
import { ask, signIn, user } from './people-world.ts'

let world: World
let base: string
let mine: string
let theirs: string

beforeAll(async () => {
  world = await openWorld()
  base = (await world.serve()).addresses.api
  for (const key of ['mine', 'theirs']) {
    await organisation(world, key)
    await panel(world, `${key}-panel`, key, ['whitebox', 'mobile'])
  }
  const people = [
    await user(world, 'mine', 'me', 'administrator'),
    await user(world, 'theirs', 'they', 'administrator'),
  ]
  mine = await signIn(base, 'me', people[0]?.password ?? '')
  theirs = await signIn(base, 'they', people[1]?.password ?? '')
})
afterAll(() => world.close())

type Listed = { id: number; label: string; revoked_at: string | null; last_used_at: string | null }

const list = async (cookie: string) => (await ask(base, '/tokens', { cookie })).body['data'] as Listed[]
const create = (cookie: string, body: unknown) => ask(base, '/tokens', { method: 'POST', cookie, body })
const revoke = (cookie: string, id: number | string) => ask(base, `/tokens/${id}`, { method: 'DELETE', cookie })

it('makes a working token, shows it once, lists it without the secret, and revokes it', async () => {
  const expires = '2036-01-31T00:00:00Z'
  const made = await create(mine, {
    label: ' nightly report ',
    scopes: ['metadata:read', 'data:read'],
    expires_at: expires,
  })
  const { id, token: secret } = made.body['data'] as { id: number; token: string }
  expect((await call(`${base}/tests`, { token: secret })).status).toBe(200)
  const answer = await ask(base, '/tokens', { cookie: mine })
  expect(answer.text).not.toContain(secret)
  expect(answer.body['data']).toEqual([
    {
      id,
      label: 'nightly report',
      visible_part: secret.slice(0, 8),
      scopes: ['data:read', 'metadata:read'],
      created_at: expect.any(String),
      created_by: 'me',
      expires_at: '2036-01-31T00:00:00.000Z',
      revoked_at: null,
      last_used_at: null,
    },
  ])
  expect((await revoke(mine, id)).status).toBe(200)
  expect((await call(`${base}/tests`, { token: secret })).status).toBe(403)
  const [{ revoked_at: first } = { revoked_at: null }] = await list(mine)
  expect((await revoke(mine, id)).status).toBe(200)
  expect((await list(mine))[0]?.revoked_at).toBe(first)
})

it('reports all faults of a request at once, and makes nothing', async () => {
  const before = await list(mine)
  const wrong = await create(mine, {
    label: '',
    scopes: ['data:read', 'all', 'all'],
    expires_at: '2020-01-01T00:00:00Z',
    x: 1,
  })
  expect(wrong.body['errors']).toEqual({
    label: ['This value should be 1 to 200 characters, none a control character.'],
    'scopes[1]': ['The value you selected is not a valid choice.'],
    'scopes[2]': ['The value you selected is not a valid choice.'],
    scopes: ['Name each scope once.'],
    expires_at: ['This value should be in the future.'],
    x: ['This field was not expected.'],
  })
  expect((await create(mine, {})).body['errors']).toEqual({
    label: ['This field is missing.'],
    scopes: ['This field is missing.'],
  })
  expect((await create(mine, [])).status).toBe(422)
  expect(await list(mine)).toEqual(before)
})

it('shows and revokes only the own organisation’s tokens; others’, sessions’ and unknown ones get the same answer', async () => {
  const secret = await token(world, 'theirs')
  const [operators] = await world.operate((operator) => findTokens(operator, 'theirs').then((all) => all.slice(-1)))
  const [session] = await runSql<{ id: number }>(
    world.superuserUrl,
    `SELECT id FROM tokens WHERE session_id IS NOT NULL AND organisation_id = (SELECT id FROM organisations WHERE key = 'mine')`,
  )
  const answers = []
  for (const id of [
    operators?.id ?? 0,
    session?.id ?? 0,
    999_999_999,
    2_147_483_647,
    2_147_483_648,
    9_999_999_999,
    0,
    -1,
    'x',
    '1e1',
    '1%00',
  ]) {
    const { status, text } = await revoke(mine, id)
    answers.push(`${status} ${text}`)
  }
  expect(new Set(answers)).toEqual(new Set(['404 {"code":"NOT_FOUND","message":"Not found"}']))
  expect((await call(`${base}/tests`, { token: secret })).status).toBe(200)
  expect((await ask(base, '/session', { cookie: mine })).status).toBe(200)
  expect((await list(mine)).map(({ label }) => label)).toEqual(['nightly report'])
  expect((await list(theirs)).map(({ id }) => id)).toEqual([operators?.id])
})

it('isolates organisations by row-level security too', async () => {
  const numbers = await runSql<{ id: number; token: number }>(
    world.superuserUrl,
    `SELECT users.id, (SELECT max(t.id) FROM tokens t WHERE t.organisation_id <> users.organisation_id AND t.session_id IS NULL)
       AS token FROM users WHERE name = 'me'`,
  )
  const [{ id, token: foreign } = { id: 0, token: 0 }] = numbers
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  const as = (tenant: string, text: string) =>
    runSql<{ it: unknown }>(url, `SELECT ${text} AS it FROM set_config('broadgauge.organisation', '${tenant}', false)`)
  // First send no organisation, then an organisation that does not exist.
  for (const organisationId of ['', '999']) {
    const [made] = await as(
      organisationId,
      `create_own_token(${id}, 'x', 'x', sha256('x'), ARRAY['data:read'], NULL, NULL, NULL)`,
    )
    expect(made?.it).toBeNull()
    expect((await as(organisationId, `revoke_own_token(${id}, ${foreign}, NULL, NULL)`))[0]?.it).toBe(false)
  }
  await expect(runSql(url, 'SELECT sha256 FROM tokens')).rejects.toThrow('permission denied')
  await expect(runSql(url, 'SELECT password_hash FROM users')).rejects.toThrow('permission denied')
  await expect(runSql(url, 'SELECT * FROM sessions')).rejects.toThrow('permission denied')
  expect(await runSql(url, 'SELECT id FROM tokens')).toEqual([])
  expect(await runSql(url, 'SELECT id FROM users')).toEqual([])
})

it('records who made and revoked which token', async () => {
  const span = { since: Temporal.Now.instant().subtract({ hours: 1 }), until: Temporal.Now.instant() }
  const events = await world.operate((operator) => findPeopleEvents(operator, 'mine', span))
  expect(events.map(({ event, user: who, token: which }) => [event, who, which !== null])).toEqual([
    ['token-revoked', 'me', true],
    ['token-created', 'me', true],
    ['signed-in', 'me', false],
    ['created', 'me', false],
  ])
  expect(events[0]?.address).toMatch(/127\.0\.0\.1/)
  expect(events[0]?.request_id).toMatch(/./)
})

it('lists panels and finds agents of readable panels, by token', async () => {
  const secret = await token(world, 'mine', ['data:read', 'metadata:read'])
  const get = (path: string) => call(`${base}/console/api${path}`, { token: `Bearer ${secret}` })
  expect((await get('/panels')).body['data']).toEqual([{ key: 'mine-panel', name: 'mine-panel', owned: true }])
  const idsOf = async (search: string) =>
    ((await get(`/agents?search=${search}`)).body['data'] as { agent_id: string }[]).map(({ agent_id }) => agent_id)
  expect(await idsOf('MINE_')).toEqual(['mine-panel-mobile', 'mine-panel-whitebox'])
  expect(await idsOf('mine-panel-w')).toEqual(['mine-panel-whitebox'])
  expect(await idsOf('theirs')).toEqual([])
  expect(await idsOf('%C3%A9mine')).toEqual([])
  const [unit] = await runSql<{ unit_id: string }>(
    world.superuserUrl,
    `SELECT unit_id FROM agents WHERE agent_id = 'mine-panel-whitebox'`,
  )
  expect(await idsOf(unit?.unit_id ?? '')).toEqual(['mine-panel-whitebox'])
  expect((await get('/agents?search=--')).status).toBe(422)
  expect((await get('/downloads')).body['data']).toEqual([])
  const onlyData = await token(world, 'mine', ['data:read'])
  expect((await call(`${base}/console/api/agents?search=m`, { token: `Bearer ${onlyData}` })).status).toBe(403)
})

it('finds the agent of a unit before agents whose identifier has that prefix, also for the largest number', async () => {
  const largest = '9007199254740991'
  const alike = Array.from({ length: 25 }, (_, index) => agent({ agent_id: `${largest}-${index + 10}` }))
  const rows = [...alike, agent({ agent_id: 'zz-unit', unit_id: largest })].map((row, line) => ({ line, row }))
  await world.operate((operator) => importAgents(operator, 'mine-panel', asLines(rows), () => {}))
  const secret = await token(world, 'mine', ['metadata:read'])
  const search = (text: string) =>
    call(`${base}/console/api/agents?search=${text}`, { token: `Bearer ${secret}` }) as Promise<
      Answer & { body: { data: { agent_id: string }[] } }
    >
  const found = (await search(largest)).body.data.map(({ agent_id }) => agent_id)
  expect(found).toEqual(['zz-unit', ...alike.slice(0, 19).map(({ agent_id }) => agent_id)])
  for (const larger of ['9007199254740992', '9999999999999999', '99999999999999999999']) {
    expect(await search(larger)).toMatchObject({ status: 200, body: { data: [] } })
  }
})

it('accepts an expiry up to the last moment of the year 9999', async () => {
  const last = '9999-12-31T23:59:59Z'
  const { status, body } = await create(mine, { label: 'for long', scopes: ['data:read'], expires_at: last })
  expect([status, body['code']]).toEqual([200, 'OK'])
  const [made] = await list(mine)
  expect(made).toMatchObject({ label: 'for long', expires_at: '9999-12-31T23:59:59.000Z' })
  await revoke(mine, made?.id ?? 0)
  const before = await list(mine)
  for (const expires_at of ['+010000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59.9999999Z']) {
    const far = await create(mine, { label: 'too long', scopes: ['data:read'], expires_at })
    expect(far.body['errors'], expires_at).toEqual({ expires_at: ['This value should be before the year 10000.'] })
  }
  expect(await list(mine)).toEqual(before)
})
