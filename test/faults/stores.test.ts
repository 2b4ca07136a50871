import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  killComponent,
  stackDown,
  stackUp,
  startComponent,
  type Stack,
  type StackComponent,
} from '../../devstack/index.ts'
import type { Service } from '../../src/serve/wiring/service.ts'
import { call } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'

/** Separate stores, because the test kills them. */
const name = `faults-${randomBytes(3).toString('hex')}`
let stack: Stack
let world: World
let service: Service
let good: string

beforeAll(async () => {
  stack = await stackUp({ name })
  world = await openWorld({ stack })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  good = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(async () => {
  await world.close()
  await stackDown({ name, wipe: true })
}, 60_000)

const tests = () => call(`${service.addresses.api}/tests`, { token: good })
const ready = () => call(`${service.addresses.operations}/readyz`)
const isWhole = async () => {
  const { status, body } = await ready()
  return status === 200 && Object.values(body['data'] as object).every((state) => state === 'ready')
}

async function until(what: () => Promise<boolean>, limitMs: number): Promise<number> {
  const startedAt = performance.now()
  while (!(await what())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return performance.now() - startedAt
}

const components: [StackComponent, string, number][] = [
  ['postgres', 'postgres', 503],
  ['clickhouse-1', 'clickhouse', 503],
  // Only files need the object storage, so an instance without it stays ready.
  ['objects', 'objects', 200],
]

describe.each(components)('%s', (component, store, readiness) => {
  it('killed and started again under requests: 503 at worst, then ready by itself', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 3; round += 1) {
      const inFlight = Array.from({ length: 20 }, tests)
      await killComponent(stack, component)
      const statuses = (await Promise.all(inFlight)).map(({ status }) => status)
      expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
      const broken = await ready()
      expect([broken.status, broken.body['data']]).toEqual([
        readiness,
        expect.objectContaining({ [store]: 'unavailable' }),
      ])
      // The listings need only PostgreSQL.
      expect((await tests()).status).toBe(component === 'postgres' ? 503 : 200)
      await startComponent(stack, component)
      await until(isWhole, 10_000)
      expect((await tests()).status).toBe(200)
    }
  })

  it(
    'hanging without a response: unavailable within the deadline, then ready by itself',
    { timeout: 60_000 },
    async () => {
      expect((await ready()).status).toBe(200)
      await killComponent(stack, component, 'SIGSTOP')
      try {
        const startedAt = performance.now()
        const broken = await ready()
        expect(performance.now() - startedAt).toBeLessThan(6_000)
        expect([broken.status, broken.body['data']]).toEqual([
          readiness,
          expect.objectContaining({ [store]: 'unavailable' }),
        ])
        if (component === 'postgres') {
          const answer = await tests()
          expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
          expect(performance.now() - startedAt).toBeLessThan(30_000)
        }
      } finally {
        await killComponent(stack, component, 'SIGCONT')
      }
      await until(isWhole, 10_000)
      expect((await tests()).status).toBe(200)
    },
  )
})

it('reports what happened, and for which request', () => {
  const failures = world.observations.filter((one) => one.kind === 'request-failed')
  expect(failures.some((one) => one.code === 'SERVICE_UNAVAILABLE' && one.detail === 'PostgreSQL is unavailable')).toBe(
    true,
  )
  expect(failures.filter((one) => one.code === 'UNKNOWN_ERROR')).toEqual([])
})
