import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
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

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'mine')
  await organisation(world, 'theirs')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'mine', name: 'x', owner: 'mine' })
    const row = agent({ agent_id: 'WB-0042.x', unit_id: '42', mac_address: 'AA:BB:CC:00:11:22' })
    await importAgents(operator, 'mine', asLines([{ line: 1, row }]), () => {})
  })
  mine = `Bearer ${await token(world, 'mine', ['metadata:read', 'metadata:write'])}`
  theirs = `Bearer ${await token(world, 'theirs', ['metadata:read'])}`
  service = await world.serve()
})
afterAll(() => world.close())

const get = (path: string, authorization = mine) => call(`${service.addresses.api}${path}`, { token: authorization })
const ok = '{"code":"OK","message":"Request successful","data":{"package":null,"isp":null,"timezone":null,"custom":{}}}'
const notFound = '{"code":"NOT_FOUND","message":"Not found"}'

describe('200', () => {
  it.each([
    'agent/WB0042x',
    'agent/wb0042x',
    'agent/WB-0042.x',
    'agent/WB–0042…x',
    'unit/42',
    'mac/AABBCC001122',
    'mac/aabbcc001122',
  ])('%s', async (path) => {
    const answer = await get(`/metadata/${path}`)
    expect([answer.status, answer.text]).toEqual([200, ok])
  })

  it('also for a subscriber of the panel, not before the subscription and not after it', async () => {
    const subscribe = (subscribed: boolean) =>
      world.operate((operator) => changeSubscription(operator, { panel: 'mine', organisation: 'theirs', subscribed }))
    expect((await get('/metadata/unit/42', theirs)).status).toBe(404)
    expect((await get('/metadata/unit/42/history', theirs)).status).toBe(404)
    await subscribe(true)
    expect((await get('/metadata/unit/42', theirs)).status).toBe(200)
    expect((await get('/metadata/unit/42/history', theirs)).status).toBe(200)
    await subscribe(false)
    expect((await get('/metadata/unit/42', theirs)).status).toBe(404)
  })

  it('has a history that begins with an empty span without a start', async () => {
    const answer = await get('/metadata/mac/AABBCC001122/history')
    expect(answer.body['data']).toEqual([
      { from: null, to: null, package: null, isp: null, timezone: null, custom: {} },
    ])
  })
})

describe('404', () => {
  it.each([
    'agent/nobody',
    'agent/---',
    'agent/%00',
    'agent/%ED%A0%80',
    'agent/é',
    'agent/éWB0042x',
    'agent/WB0042xЖ',
    'agent/WB0042x\u0301',
    'mac/AABBCC001122٣',
    `agent/${'x'.repeat(400)}`,
    `agent/${'x'.repeat(600)}`,
    'unit/43',
    'unit/042',
    'unit/-1',
    'unit/4.2',
    'unit/4e1',
    'unit/99999999999999999999',
    'unit/9007199254740993',
    'unit/x',
    'unit/%2042',
    'mac/001122',
    'mac/%',
    'panel/mine',
    'AGENT/WB0042x',
    "agent/' OR 1=1",
    'unit/42;--',
  ])('%s', async (path) => {
    for (const address of [`/metadata/${path}`, `/metadata/${path}/history`]) {
      const answer = await get(address)
      expect([answer.status, answer.text], address).toEqual([404, notFound])
    }
  })

  it('is the same for a foreign agent and for an unknown one, to the byte', async () => {
    const [foreign, unknown] = await Promise.all([get('/metadata/unit/42', theirs), get('/metadata/unit/41', theirs)])
    expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text])
  })
})

describe('403', () => {
  it('without a token, before any other check', async () => {
    for (const path of ['/metadata/unit/42', '/metadata/unit/nonsense', '/metadata/unit/42/history']) {
      const answer = await call(`${service.addresses.api}${path}`)
      expect([answer.status, answer.text]).toEqual([403, '{"code":"ACCESS_DENIED","message":"Access Denied"}'])
    }
  })

  it('with a token that was valid until now', async () => {
    const secret = `Bearer ${await token(world, 'mine', ['metadata:read'])}`
    const paths = ['/metadata/unit/42', '/metadata/unit/42/history']
    for (const path of paths) expect((await get(path, secret)).status).toBe(200)
    const newest = 'id = (SELECT max(id) FROM tokens)'
    await runSql(world.superuserUrl, `UPDATE tokens SET expires_at = now() WHERE ${newest}`)
    for (const path of paths) {
      const answer = await get(path, secret)
      expect([answer.status, answer.text]).toEqual([403, '{"code":"ACCESS_DENIED","message":"Access Denied"}'])
    }
  })

  it('without the scope to read', async () => {
    const writer = `Bearer ${await token(world, 'mine', ['metadata:write', 'data:read'])}`
    expect((await get('/metadata/unit/42', writer)).status).toBe(403)
  })
})

it('counts calls by organisation, token, endpoint, status and day', async () => {
  const fresh = `Bearer ${await token(world, 'mine', ['metadata:read'])}`
  const own = await world.serve()
  for (const path of ['unit/42', 'unit/42', 'unit/42', 'unit/41', 'agent/wb0042x/history']) {
    await call(`${own.addresses.api}/metadata/${path}`, { token: fresh })
  }
  await own.stop('the test')
  const rows = await runSql(
    world.superuserUrl,
    `SELECT o.key, endpoint, status, calls::int, day = (now() AT TIME ZONE 'UTC')::date AS today
     FROM api_calls JOIN organisations o ON o.id = organisation_id
     WHERE token_id = (SELECT max(token_id) FROM api_calls) ORDER BY endpoint, status`,
  )
  expect(rows).toEqual([
    { key: 'mine', endpoint: 'GET /metadata/:field/:value', status: 200, calls: 3, today: true },
    { key: 'mine', endpoint: 'GET /metadata/:field/:value', status: 404, calls: 1, today: true },
    { key: 'mine', endpoint: 'GET /metadata/:field/:value/history', status: 200, calls: 1, today: true },
  ])
})

it('counts the 403 of a token without the scope, and of no other', async () => {
  const secret = await token(world, 'mine', ['metadata:read'])
  const expired = await token(world, 'mine', ['metadata:read'])
  await runSql(world.superuserUrl, 'UPDATE tokens SET expires_at = now() WHERE id = (SELECT max(id) FROM tokens)')
  const own = await world.serve()
  const ask = async (path: string, given: string, method = 'GET') => {
    const { status } = await call(`${own.addresses.api}${path}`, { method, token: `Bearer ${given}` })
    expect([path, status]).toEqual([path, 403])
  }
  await ask('/metrics', secret)
  await ask('/metric_data', secret, 'POST')
  await ask('/metadata', secret, 'PUT')
  await ask('/metrics', expired)
  await ask('/metrics', `${secret}x`)
  await own.stop('the test')
  const rows = await runSql(
    world.superuserUrl,
    `SELECT token_id = (SELECT max(id) - 1 FROM tokens) AS known, endpoint, calls::int FROM api_calls
     WHERE status = 403 AND token_id >= (SELECT max(id) - 1 FROM tokens) ORDER BY endpoint`,
  )
  expect(rows).toEqual(
    ['GET /metrics', 'POST /metric_data', 'PUT /metadata'].map((endpoint) => ({ known: true, endpoint, calls: 1 })),
  )
})
