import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { changeSlots } from '../../../src/limits/change-slots.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { metadataPanel, type MetadataPanel } from '../../faults/metadata-panel.ts'
import { call } from '../../kit/call.ts'
import { runningMs } from '../../kit/running-time.ts'
import { runSql } from '../../kit/run-sql.ts'
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

/**
 * Locks these agents. Changes of these agents wait until the test rolls back the transaction on the returned
 * connection.
 */
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

it('leaves connections for others while the changes of one organisation wait for each other', async () => {
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

  // Not on the connection of `holder`: within a transaction, PostgreSQL repeats the first result of pg_stat_activity.
  async function blocked(): Promise<number> {
    const found = await runSql<{ count: number }>(
      world.superuserUrl,
      `SELECT count(*)::integer AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return found[0]?.count ?? -1
  }
})

it('lets waiting changes block no other request', async () => {
  const noLimit = { BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: '0', BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: '0' }
  const { api } = (await world.serve(noLimit)).addresses
  const holder = await holdAgents('acme-1', 'other-11')
  // Each organisation sends more changes than a quarter of the request slots. Both organisations together send more
  // than half.
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
])(
  "of %i connections %i are for changes of all organisations, and five for the instance's own jobs",
  async (all, most) => {
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
  },
)

it.each([6, 10, 20])('of %i connections one organisation leaves at least one for changes of others', async (all) => {
  const inTurn = changeSlots(all)
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const { signal } = new AbortController()
  const own = Array.from({ length: 30 }, () => inTurn({ organisationId: 1 }, signal, () => held))
  expect(await inTurn({ organisationId: 2 }, signal, async () => 'made')).toBe('made')
  letGo()
  await Promise.all(own)
})

it('does not start a change whose caller has disconnected, and refuses when too many wait', async () => {
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
