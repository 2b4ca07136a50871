import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { changeSlots } from '../../../src/limits/change-slots.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { metadataPanel, type MetadataPanel } from '../../faults/metadata-panel.ts'
import { call } from '../../kit/call.ts'
import { runningMs } from '../../kit/running-time.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let acme: MetadataPanel
let other: MetadataPanel

beforeAll(async () => {
  world = await openWorld()
  acme = await metadataPanel(world, 'acme', 1, 1)
  other = await metadataPanel(world, 'other', 11, 1)
  service = await world.serve()
})
afterAll(() => world.close())

const put = (unit: number, mark: string, token: string, api = service.addresses.api) =>
  call(`${api}/metadata`, {
    method: 'PUT',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: { unit_id: unit }, metadata: { custom: { mark } } }),
  })

/** Changes of these agents wait until it rolls back. */
async function holdAgents(...agents: string[]): Promise<Client> {
  const holder = new Client({ connectionString: world.superuserUrl })
  await holder.connect()
  await holder.query('BEGIN')
  const { rowCount } = await holder.query(
    `SELECT FROM current_metadata c JOIN agents a ON a.id = c.agent_id WHERE a.agent_id = ANY ($1) FOR UPDATE OF c`,
    [agents],
  )
  expect(rowCount).toBe(agents.length)
  return holder
}

it('leaves connections to others while the changes of one organisation wait for one another', async () => {
  const holder = await holdAgents('acme-1')
  const waiting = Array.from({ length: 60 }, (_, index) => put(1, `mark-${index}`, acme.token))
  await expect.poll(async () => (await blocked()) > 0, { timeout: 15_000 }).toBe(true)
  const startedAt = runningMs()
  expect((await put(11, 'theirs', other.token)).status).toBe(200)
  expect((await call(`${service.addresses.api}/metadata/unit/1`, { token: acme.token })).status).toBe(200)
  expect(runningMs() - startedAt).toBeLessThan(2_500)
  expect(await blocked()).toBeLessThanOrEqual(4)
  await holder.query('ROLLBACK')
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await holder.end()

  async function blocked(): Promise<number> {
    const found = await holder.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
    )
    return found.rows[0]?.count ?? -1
  }
})

it('lets what waits for its turn stand in nobody’s way', async () => {
  const noLimit = { BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: '0', BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: '0' }
  const { api } = (await world.serve(noLimit)).addresses
  const holder = await holdAgents('acme-1', 'other-11')
  // Together more than half of the request slots, and more than a quarter of each.
  const change = (unit: number, token: string) =>
    Array.from({ length: 66 }, (_, index) => put(unit, `again-${index}`, token, api))
  const waiting = change(1, acme.token)
  await pause(1_000)
  waiting.push(...change(11, other.token))
  await pause(1_000)
  expect(await Promise.race([...waiting, Promise.resolve('all wait')])).toBe('all wait')
  expect((await call(`${api}/metadata/unit/1`, { token: acme.token })).status).toBe(200)
  expect((await call(`${api}/metadata/unit/11`, { token: other.token })).status).toBe(200)
  await holder.query('ROLLBACK')
  await holder.end()
  expect((await Promise.all(waiting)).filter(({ status }) => status === 429)).toEqual([])
})

it.each([
  [5, 2],
  [10, 2],
  [20, 7],
])('of %i connections %i are for changes of everybody, and five for what a copy does by itself', async (all, most) => {
  const inTurn = changeSlots(all)
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  let begun = 0
  const changes = Array.from({ length: 30 }, (_, index) =>
    inTurn({ organisationId: index }, new AbortController().signal, () => {
      begun += 1
      return held
    }),
  )
  await pause(10)
  expect(begun).toBe(most)
  letGo()
  await Promise.all(changes)
  expect(begun).toBe(30)
})

it.each([6, 10, 20])('of %i connections one organisation leaves changes of others at least one', async (all) => {
  const inTurn = changeSlots(all)
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const { signal } = new AbortController()
  const own = Array.from({ length: 30 }, () => inTurn({ organisationId: 1 }, signal, () => held))
  expect(await inTurn({ organisationId: 2 }, signal, async () => 'made')).toBe('made')
  letGo()
  await Promise.all(own)
})

it('does not begin a change nobody waits for any more, and refuses when too many wait', async () => {
  const inTurn = changeSlots(9)
  const scope = { organisationId: 1 }
  const here = new AbortController()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const first = inTurn(scope, here.signal, () => held)
  const left = new AbortController()
  let begun = false
  const second = inTurn(scope, left.signal, async () => void (begun = true))
  const others = Array.from({ length: 99 }, () => inTurn(scope, here.signal, async () => 'made'))
  await expect(inTurn(scope, here.signal, async () => 'made')).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    headers: { 'retry-after': '5', 'ratelimit-limit': '1', 'ratelimit-remaining': '0', 'ratelimit-reset': '5' },
  })
  expect(await inTurn({ organisationId: 2 }, here.signal, async () => 'made')).toBe('made')
  left.abort()
  letGo()
  await first
  await expect(second).rejects.toBeInstanceOf(Fault)
  expect([begun, await Promise.all(others)]).toEqual([false, others.map(() => 'made')])
})
