import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeTimelines } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { operate } from '../../../src/engine/postgres/operator/operator.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { call } from '../../kit/call.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let api: string
const tokens = new Map<string, string>()

beforeAll(async () => {
  // The world has the ClickHouse tables. Without them, an instance would fail to publish each change and close its
  // connections.
  world = await openWorld({ clickhouse: true })
  for (const owner of ['full', 'other']) {
    await organisation(world, owner)
    tokens.set(owner, `Bearer ${await token(world, owner, ['metadata:read', 'metadata:write'])}`)
    await world.operate(async (operator) => {
      await createPanel(operator, { key: owner, name: owner, owner })
      const lines = [1, 2, 3, 4].map((line) => ({ line, row: agent({ agent_id: `${owner}-${line}` }) }))
      await importAgents(operator, owner, asLines(lines), () => {})
    })
  }
  api = (await world.serve()).addresses.api
})
afterAll(() => world.close())

const keys = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']))

const put = (owner: string, number: number, custom: object, more: object = {}) =>
  call(`${api}/metadata`, {
    method: 'PUT',
    token: tokens.get(owner) ?? '',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: { agent_id: `${owner}-${number}` }, metadata: { custom }, ...more }),
  })

const named = async (owner: string): Promise<number | undefined> => {
  const rows = await runSql<{ count: number }>(
    world.superuserUrl,
    `SELECT count(*)::integer FROM custom_fields f JOIN organisations o ON o.id = organisation_id WHERE o.key = '${owner}'`,
  )
  return rows[0]?.count
}
const refusal = (message: string) => ({
  status: 422,
  body: { code: 'VALIDATION_FAIL', errors: { 'metadata[custom]': [message] } },
})
const refused = refusal('There may be at most 1000 custom fields.')

it('an organisation can name a thousand fields, also by concurrent changes, and not one more', async () => {
  expect((await put('full', 1, keys('first', 500))).status).toBe(200)
  expect((await put('full', 2, keys('second', 485))).status).toBe(200)
  // Each of the four changes has five new names. There is room for three of the changes.
  const together = await Promise.all([1, 2, 3, 4].map((number) => put('full', number, keys(`of${number}-`, 5))))
  expect(together.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(together.find(({ status }) => status === 422)).toMatchObject(refused)
  expect(await named('full')).toBe(1000)
  expect(await put('full', 1, { 'one more': 'x' })).toMatchObject(refused)
  expect(await put('full', 1, { 'one more': 'x' }, { dry_run: true })).toMatchObject(refused)
  expect(await named('full')).toBe(1000)
})

it('an operator can raise the limit', async () => {
  await world.operate((operator) =>
    operate(
      operator,
      `INSERT INTO custom_fields (organisation_id, key) SELECT id, 'region' FROM organisations WHERE key = 'full'`,
      [],
    ),
  )
  expect((await put('full', 1, { region: 'north' })).status).toBe(200)
  expect(await put('full', 1, { 'one more': 'x' })).toMatchObject(refused)
})

it('an organisation at the limit can still set and remove its fields, and others are not affected', async () => {
  expect((await put('full', 2, { second0: 'again', second1: null })).status).toBe(200)
  expect((await put('other', 1, { 'one more': 'x' })).status).toBe(200)
})

it('one change with more fields than the limit is refused, also if it removes them', async () => {
  expect(await put('other', 1, keys('many', 1001))).toMatchObject(refused)
  const removed = Object.fromEntries(Object.keys(keys('many', 1001)).map((key) => [key, null]))
  expect(await put('other', 1, removed)).toMatchObject(refused)
})

it('an agent has at most 16 KiB of custom metadata, however it accumulated, and can remove some', async () => {
  const long = (prefix: string, count: number) =>
    Object.fromEntries(Object.keys(keys(prefix, count)).map((key) => [key, 'ж'.repeat(500)]))
  const tooLong = refusal('An agent may have at most 16384 bytes of custom metadata.')
  expect(await put('other', 2, long('first', 17))).toMatchObject(tooLong)
  expect((await put('other', 2, long('first', 16))).status).toBe(200)
  expect(await put('other', 2, long('second', 1), { dry_run: true })).toMatchObject(tooLong)
  expect(await put('other', 2, long('second', 1))).toMatchObject(tooLong)
  expect((await put('other', 2, { first0: null, ...long('second', 1) })).status).toBe(200)
  // The service also refuses a backdated change if the agent had less custom metadata on the day from which the change
  // applies.
  const yesterday = Math.floor(Date.now() / 1000) - 86_400
  expect(await put('other', 2, long('third', 1), { backdate_from: yesterday })).toMatchObject(tooLong)
})

it('an agent above the limit can shrink step by step, and does not block changes of other agents', async () => {
  const more = JSON.stringify(Object.fromEntries(Object.keys(keys('old', 20)).map((key) => [key, 'x'.repeat(1000)])))
  const lines = asLines([
    {
      line: 1,
      row: { agent_id: 'other-3', from_day: '2026-01-01', isp: null, package: null, timezone: null, custom: more },
    },
  ])
  await world.operate((operator) =>
    changeTimelines(operator, 'other', lines, { requestId: 'more', request: {} }, () => {}),
  )
  expect((await put('other', 3, { old0: 'shorter' })).status).toBe(200)
  expect((await put('other', 3, { old1: null, old2: 'y'.repeat(1000) })).status).toBe(200)
  expect(
    (await put('other', 3, { old3: 'y'.repeat(900) }, { backdate_from: Math.floor(Date.now() / 1000) - 86_400 }))
      .status,
  ).toBe(200)
  expect(
    await put('other', 3, { new1: 'z'.repeat(1000), new2: 'z'.repeat(1000), new3: 'z'.repeat(1000) }),
  ).toMatchObject(refusal('An agent may have at most 16384 bytes of custom metadata.'))
})

it('refusals leave the connections to PostgreSQL open', async () => {
  const sessions = async () => {
    const text = 'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
    return (await runSql<{ pid: number }>(world.superuserUrl, text)).map(({ pid }) => pid)
  }
  expect((await put('full', 1, { region: 'south' })).status).toBe(200)
  const before = new Set(await sessions())
  for (let round = 0; round < 20; round += 1)
    expect(await put('full', 1, { [`more ${round}`]: 'x' })).toMatchObject(refused)
  expect((await sessions()).filter((pid) => before.has(pid))).not.toEqual([])
})

it('a dry run uses up no field number and no span number, because both are finite', async () => {
  const last = () =>
    runSql(
      world.superuserUrl,
      'SELECT fields.last_value AS field, spans.last_value AS span FROM custom_fields_id_seq fields, span_ids spans',
    )
  const before = await last()
  const tried = await put('other', 1, keys('tried', 10), { dry_run: true })
  expect(tried.body).toMatchObject({ data: { sample: [{ after: { custom: keys('tried', 10) } }] } })
  expect(await last()).toEqual(before)
  expect((await put('other', 1, keys('tried', 10))).status).toBe(200)
  const [was, is] = [before, await last()].map(([row]) => row as { field: number; span: string } | undefined)
  expect(Number(is?.field) - Number(was?.field)).toBe(10)
  expect(Number(is?.span)).toBeGreaterThan(Number(was?.span))
})
