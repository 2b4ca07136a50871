import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { changeSubscription, createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let mine: string
let theirs: string
let round = 0

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'mine')
  await organisation(world, 'theirs')
  const names = ['Fibre', 'Cable'].flatMap((name) => ['Acme', 'Beta'].map((isp) => ({ isp, package: name })))
  const packages = names.map((name, index) => ({
    line: index,
    row: { ...name, download_bits_sec: null, upload_bits_sec: null },
  }))
  await world.operate((operator) => importPackages(operator, asLines(packages), () => {}))
  mine = `Bearer ${await token(world, 'mine', ['metadata:read', 'metadata:write'])}`
  theirs = `Bearer ${await token(world, 'theirs', ['metadata:read', 'metadata:write'])}`
  service = await world.serve()
})
afterAll(() => world.close())

/** Every test has three new agents, and one new agent of another organisation. */
beforeEach(async () => {
  round += 1
  await world.operate(async (operator) => {
    await createPanel(operator, { key: `mine-${round}`, name: 'x', owner: 'mine' })
    await createPanel(operator, { key: `theirs-${round}`, name: 'x', owner: 'theirs' })
    const lines = [1, 2, 3].map((number) => ({
      line: number,
      row: agent({ agent_id: id(number), mac_address: `00:${round}:${number}` }),
    }))
    await importAgents(operator, `mine-${round}`, asLines(lines), () => {})
    await importAgents(
      operator,
      `theirs-${round}`,
      asLines([{ line: 1, row: agent({ agent_id: `foreign-${round}` }) }]),
      () => {},
    )
  })
})

const id = (number: number) => `a-${round}-${number}`
const plain = (text: string) => text.replaceAll('-', '')

const put = (body: unknown, authorization = mine) =>
  call(`${service.addresses.api}/metadata`, {
    method: 'PUT',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const read = async (agentId: string, authorization = mine): Promise<unknown> =>
  (await call(`${service.addresses.api}/metadata/agent/${plain(agentId)}`, { token: authorization })).body['data']

const ago = (count: number) => Math.floor(Date.now() / 1000) - count * 86_400
const tag = () => `tag${round}`
const none = { package: null, isp: null, timezone: null, custom: {} }

/** Gives the first two agents a custom tag, so that a selector can find them. */
const mark = () =>
  Promise.all([1, 2].map((number) => put({ agent: { agent_id: id(number) }, metadata: { custom: { tag: tag() } } })))

/** Makes a dry run of a change of the agents that match the selector and have the tag. */
const trial = (selector: Record<string, unknown>) =>
  put({
    agent: { ...selector, custom: { tag: tag(), ...(selector['custom'] as object) } },
    metadata: { timezone: 'UTC' },
    dry_run: true,
  })

describe('success', () => {
  it('answers OK with a message and no data', async () => {
    const answer = await put({ agent: { agent_id: id(1) }, metadata: { package: 'Acme:Fibre' } })
    expect([answer.status, answer.text]).toEqual([200, '{"code":"OK","message":"Request successful"}'])
  })

  it('changes only the given fields', async () => {
    const select = { agent_id: id(1) }
    await put({
      agent: select,
      metadata: { package: 'Acme:Fibre', timezone: 'Europe/London', custom: { a: 'x', b: 2 } },
    })
    await put({ agent: select, metadata: { custom: { b: 3.5, c: 'é ✓' } } })
    expect(await read(id(1))).toEqual({
      package: 'Acme:Fibre',
      isp: 'Acme',
      timezone: 'Europe/London',
      custom: { a: 'x', b: 3.5, c: 'é ✓' },
    })
    await put({ agent: select, metadata: { package: 'Beta:' } })
    expect(await read(id(1))).toMatchObject({ package: null, isp: 'Beta', timezone: 'Europe/London' })
    await put({ agent: select, metadata: { custom: { a: null, zz: null } } })
    expect(await read(id(1))).toMatchObject({ custom: { b: 3.5, c: 'é ✓' } })
    expect(await read(id(2))).toEqual(none)
  })

  it('removes all other fields if overwrite_all is true', async () => {
    const select = { agent_id: id(1) }
    await put({ agent: select, metadata: { package: 'Acme:Fibre', timezone: 'UTC', custom: { a: 1 } } })
    await put({ agent: select, metadata: { custom: { b: 2, gone: null } }, overwrite_all: true })
    expect(await read(id(1))).toEqual({ ...none, custom: { b: 2 } })
    await put({ agent: select, metadata: {}, overwrite_all: true })
    expect(await read(id(1))).toEqual(none)
  })

  it('finds agents by every field, and by several together', async () => {
    await put({
      agent: { agent_id: id(1) },
      metadata: { package: 'Acme:Fibre', timezone: 'Asia/Kolkata', custom: { tag: tag(), n: 1 } },
    })
    await put({
      agent: { agent_id: id(2) },
      metadata: { package: 'Acme:Cable', timezone: 'Asia/Kolkata', custom: { tag: tag(), n: '1' } },
    })
    const hits = async (selector: Record<string, unknown>): Promise<string> => {
      const found = await trial(selector)
      const { sample = [] } = (found.body['data'] ?? {}) as { sample?: { agent_id: string }[] }
      return sample.map(({ agent_id: one }) => one.slice(-1)).join()
    }
    expect(await hits({})).toBe('1,2')
    expect(await hits({ agent_id: id(2).toUpperCase() })).toBe('2')
    expect(await hits({ mac_address: `00-${round}-1` })).toBe('1')
    expect(await hits({ isp: 'Acme' })).toBe('1,2')
    expect(await hits({ package: 'Acme:Cable' })).toBe('2')
    expect(await hits({ package: 'Acme:Fibre', timezone: 'Asia/Kolkata' })).toBe('1')
    expect(await hits({ custom: { n: 1 } })).toBe('1')
    expect(await hits({ custom: { n: '1' } })).toBe('2')
    expect(await hits({ isp: 'acme' })).toBe('')
    expect(await hits({ package: 'Acme:Fibre', timezone: 'UTC' })).toBe('')
    const [row] = await runSql<{ unit_id: string }>(
      world.superuserUrl,
      'SELECT unit_id FROM agents WHERE agent_id = $1',
      [id(1)],
    )
    expect(await hits({ unit_id: Number(row?.unit_id) })).toBe('1')
  })

  it('finds agents by current metadata, not by past; by an ISP without a package too', async () => {
    const former = [
      { package: 'Acme:Fibre' },
      { isp: 'Acme' },
      { timezone: 'Asia/Kolkata' },
      { custom: { old: 'x', changed: 1 } },
      { custom: { changed: 1 } },
    ]
    const statuses = async () => Promise.all(former.map(async (selector) => (await trial(selector)).status))
    const select = { agent_id: id(1) }
    const before = { package: 'Acme:Fibre', timezone: 'Asia/Kolkata', custom: { tag: tag(), old: 'x', changed: 1 } }
    await put({ agent: select, metadata: before, backdate_from: ago(5) })
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    await put({
      agent: select,
      metadata: { package: 'Beta:', timezone: 'Europe/London', custom: { old: null, changed: 2 } },
    })
    expect(await statuses()).toEqual([404, 404, 404, 404, 404])
    expect((await trial({ isp: 'Beta' })).body['data']).toMatchObject({ matched: 1, sample: [select] })
  })

  it('backdates: the given field replaces later changes of it, the other fields keep theirs', async () => {
    const select = { agent_id: id(1) }
    await put({ agent: select, metadata: { package: 'Acme:Fibre' }, backdate_from: ago(10) })
    await put({ agent: select, metadata: { timezone: 'Europe/London' }, backdate_from: ago(5) })
    await put({ agent: select, metadata: { package: 'Beta:Cable' }, backdate_from: ago(20) })
    const history = await call(`${service.addresses.api}/metadata/agent/${plain(id(1))}/history`, { token: mine })
    const day = (count: number) => new Date(ago(count) * 1000).toISOString().slice(0, 10)
    expect(history.body['data']).toEqual([
      { ...none, from: null, to: day(21) },
      { ...none, from: day(20), to: day(6), package: 'Beta:Cable', isp: 'Beta' },
      { ...none, from: day(5), to: null, package: 'Beta:Cable', isp: 'Beta', timezone: 'Europe/London' },
    ])
  })

  it('stores the token, the time, the request and the agents of a change', async () => {
    await mark()
    await put({ agent: { custom: { tag: tag() } }, metadata: { package: 'Acme:Fibre' }, backdate_from: ago(3) })
    const [event] = await runSql<Record<string, unknown>>(
      world.superuserUrl,
      `SELECT o.key, e.kind, e.token_id, e.from_day::text, e.request, cardinality(e.agents) AS agents, e.request_id
       FROM metadata_events e JOIN organisations o ON o.id = e.organisation_id ORDER BY e.id DESC LIMIT 1`,
    )
    expect(event).toMatchObject({
      key: 'mine',
      kind: 'change',
      agents: 2,
      from_day: new Date(ago(3) * 1000).toISOString().slice(0, 10),
      request: { agent: { custom: { tag: tag() } }, metadata: { package: 'Acme:Fibre' } },
    })
    expect(event?.['request_id']).toMatch(/^[\w-]{36}$/)
  })
})

describe('404', () => {
  it.each([
    ['an unknown agent', () => ({ agent_id: 'nobody' })],
    ['an agent of another organisation', () => ({ agent_id: `foreign-${round}` })],
    ['a selector that matches nothing together', () => ({ agent_id: id(1), isp: 'Acme' })],
    ['an identifier of signs', () => ({ agent_id: '---' })],
    ['an id with a letter that is not of ASCII', () => ({ agent_id: `Ж${id(1)}` })],
    ['an address with a digit that is not of ASCII', () => ({ mac_address: `00:${round}:1²` })],
    ['the same next to a field that would match', () => ({ agent_id: `${id(1)}é`, mac_address: `00:${round}:1` })],
    ['a negative unit', () => ({ unit_id: -1 })],
  ])('%s', async (_what, selector) => {
    const answer = await put({ agent: selector(), metadata: { timezone: 'UTC' } })
    expect([answer.status, answer.text]).toEqual([404, '{"code":"NOT_FOUND","message":"Not found"}'])
    expect(await read(`foreign-${round}`, theirs)).toEqual(none)
    expect(await read(id(1))).toEqual(none)
  })

  it('for a subscribed panel: a subscriber can read but not change', async () => {
    await world.operate((operator) =>
      changeSubscription(operator, { panel: `theirs-${round}`, organisation: 'mine', subscribed: true }),
    )
    expect(await read(`foreign-${round}`)).toEqual(none)
    expect((await put({ agent: { agent_id: `foreign-${round}` }, metadata: { timezone: 'UTC' } })).status).toBe(404)
    expect(
      (await put({ agent: { agent_id: `foreign-${round}` }, metadata: { timezone: 'UTC' }, dry_run: true })).status,
    ).toBe(404)
    expect(await read(`foreign-${round}`, theirs)).toEqual(none)
  })
})

describe('dry_run', () => {
  it('shows how many agents and what would change, and changes nothing', async () => {
    await mark()
    const before = await runSql(
      world.superuserUrl,
      'SELECT count(*) AS events, (SELECT count(*) FROM spans) AS spans FROM metadata_events',
    )
    const answer = await put({ agent: { custom: { tag: tag() } }, metadata: { package: 'Acme:Fibre' }, dry_run: true })
    expect(answer.body['data']).toEqual({
      matched: 2,
      sample: [1, 2].map((number) => ({
        agent_id: id(number),
        unit_id: expect.any(Number),
        before: { ...none, custom: { tag: tag() } },
        after: { ...none, custom: { tag: tag() }, package: 'Acme:Fibre', isp: 'Acme' },
      })),
    })
    const after = await runSql(
      world.superuserUrl,
      'SELECT count(*) AS events, (SELECT count(*) FROM spans) AS spans FROM metadata_events',
    )
    expect(after).toEqual(before)
    expect((await put({ agent: { agent_id: 'nobody' }, metadata: { timezone: 'UTC' }, dry_run: true })).status).toBe(
      404,
    )
  })
})

describe('403', () => {
  it('without the scope to write, and nothing is written', async () => {
    const reader = `Bearer ${await token(world, 'mine', ['metadata:read', 'data:read'])}`
    const answer = await put({ agent: { agent_id: id(1) }, metadata: { timezone: 'UTC' } }, reader)
    expect([answer.status, answer.body['code']]).toEqual([403, 'ACCESS_DENIED'])
    expect(await read(id(1))).toEqual(none)
  })
})
