import { expect, it } from 'vitest'
import { newMeter } from '../../src/base/audit.ts'
import { countByOrganisation } from '../../src/base/count-by-organisation.ts'
import { rateHeaders } from '../../src/base/fault.ts'
import { evictOldest } from '../../src/base/evict-oldest.ts'
import { semaphore } from '../../src/base/semaphore.ts'

const acme = { organisationId: 1 }
const other = { organisationId: 2 }
const immediate = () => new Promise((resolve) => setImmediate(resolve))

it('counts the concurrent work of each organisation', () => {
  const present = countByOrganisation()
  expect(present.of(acme)).toBe(0)
  present.enter(acme)
  present.enter(acme, 3)
  present.enter(other, 2)
  expect([present.of(acme), present.of(other)]).toEqual([4, 2])
  present.leave(acme, 3)
  present.leave(other, 2)
  expect([present.of(acme), present.of(other)]).toEqual([1, 0])
  present.leave(acme)
  expect(present.of(acme)).toBe(0)
})

/** Creates named tasks. Each task adds its name to `begun` when it starts, and runs until the test ends it. */
function lines() {
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const work = (name: string) => () => {
    begun.push(name)
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return end.promise
  }
  return {
    begun,
    work,
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

it('runs the given number concurrently, and the others in the order of their arrival', async () => {
  const run = semaphore(2)
  const { begun, work, end, fail } = lines()
  const all = ['a', 'b', 'c', 'd'].map((name) => run(work(name)))
  const outcomes = Promise.allSettled(all)
  await immediate()
  expect(begun).toEqual(['a', 'b'])
  fail('b')
  await immediate()
  expect(begun).toEqual(['a', 'b', 'c'])
  end('a')
  await immediate()
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  end('c')
  end('d')
  expect((await outcomes).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'a',
    'failed',
    'c',
    'd',
  ])
})

it('has free slots again when all work has ended', async () => {
  const run = semaphore(1)
  expect(await run(async () => 'first')).toBe('first')
  await expect(run(() => Promise.reject(new Error('second')))).rejects.toThrow('second')
  expect(await run(async () => 'third')).toBe('third')
})

it('refuses work if the queue is full', async () => {
  const run = semaphore(1, { max: 1, refuse: () => new Error('full') })
  const { begun, work, end } = lines()
  const first = run(work('a'))
  const second = run(work('b'))
  await expect(run(work('c'))).rejects.toThrow('full')
  end('a')
  await immediate()
  const fourth = run(work('d'))
  end('b')
  await immediate()
  end('d')
  expect(await Promise.all([first, second, fourth])).toEqual(['a', 'b', 'd'])
  expect(begun).toEqual(['a', 'b', 'd'])
})

it('keeps 100,000 callers, and evicts the oldest for one more', () => {
  const known = new Map(Array.from({ length: 100_000 }, (_, index) => [index, null]))
  evictOldest(known)
  expect(known.size).toBe(100_000)
  known.set(100_000, null)
  evictOldest(known)
  expect(known.size).toBe(100_000)
  expect([known.has(0), known.has(1), known.has(100_000)]).toEqual([false, true, true])
})

it('shows the state of a limit in headers', () => {
  expect(rateHeaders({ limit: 10, remaining: 0, resetSeconds: 3 })).toEqual({
    'ratelimit-limit': '10',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '3',
  })
})

it('starts the meter of a query at zero', () => {
  expect(newMeter()).toEqual({ rows: 0, bytes: 0, engineMs: 0, rowsRead: 0, isWhole: false })
  expect(newMeter()).not.toBe(newMeter())
})
