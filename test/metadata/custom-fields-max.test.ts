import { afterAll, beforeAll, expect, it } from 'vitest'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { call } from '../kit/call.ts'
import { agent, asLines, organisation, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'

let world: World
let api: string
const tokens = new Map<string, string>()

beforeAll(async () => {
  world = await openWorld()
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
const refused = {
  status: 422,
  body: {
    code: 'VALIDATION_FAIL',
    errors: { 'metadata[custom]': ['There may be at most 1000 custom fields.'] },
  },
}

it('an organisation names a thousand fields, by changes at once too, and not one more', async () => {
  expect((await put('full', 1, keys('first', 985))).status).toBe(200)
  // Five more each: three fit.
  const together = await Promise.all([1, 2, 3, 4].map((number) => put('full', number, keys(`of${number}-`, 5))))
  expect(together.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(together.find(({ status }) => status === 422)).toMatchObject(refused)
  expect(await named('full')).toBe(1000)
  expect(await put('full', 1, { 'one more': 'x' })).toMatchObject(refused)
  expect(await put('full', 1, { 'one more': 'x' }, { dry_run: true })).toMatchObject(refused)
  expect(await named('full')).toBe(1000)
})

it('who has them all can still set and remove them, and others are not concerned', async () => {
  expect((await put('full', 2, { first0: 'again', first1: null })).status).toBe(200)
  expect((await put('other', 1, { 'one more': 'x' })).status).toBe(200)
})

it('more in one change than there may be at all are refused, also to be removed', async () => {
  expect(await put('other', 1, keys('many', 1001))).toMatchObject(refused)
  const removed = Object.fromEntries(Object.keys(keys('many', 1001)).map((key) => [key, null]))
  expect(await put('other', 1, removed)).toMatchObject(refused)
})

it('a trial takes no number of a field: there are not for ever some', async () => {
  const last = () => runSql(world.superuserUrl, 'SELECT last_value FROM custom_fields_id_seq')
  const before = await last()
  const tried = await put('other', 1, keys('tried', 10), { dry_run: true })
  expect(tried.body).toMatchObject({ data: { sample: [{ after: { custom: keys('tried', 10) } }] } })
  expect(await last()).toEqual(before)
})
