import { expect, it } from 'vitest'
import { newMeter } from '../../src/base/audit.ts'
import { countPresent } from '../../src/base/count-present.ts'
import { rateHeaders } from '../../src/base/fault.ts'
import { forgetOldest } from '../../src/base/forget-oldest.ts'
import { takeTurns } from '../../src/base/semaphore.ts'

const acme = { organisationId: 1 }
const other = { organisationId: 2 }
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('counts what each organisation has at once', () => {
  const present = countPresent()
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

/** Work that is under way until it is told to end. */
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

it('runs so many at once, and the others in the order they came', async () => {
  const run = takeTurns(2)
  const { begun, work, end, fail } = lines()
  const all = ['a', 'b', 'c', 'd'].map((name) => run(work(name)))
  const outcomes = Promise.allSettled(all)
  await settled()
  expect(begun).toEqual(['a', 'b'])
  fail('b')
  await settled()
  expect(begun).toEqual(['a', 'b', 'c'])
  end('a')
  await settled()
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

it('has room again once all have ended', async () => {
  const run = takeTurns(1)
  expect(await run(async () => 'first')).toBe('first')
  await expect(run(() => Promise.reject(new Error('second')))).rejects.toThrow('second')
  expect(await run(async () => 'third')).toBe('third')
})

it('refuses who would wait behind as many as may', async () => {
  const run = takeTurns(1, { max: 1, refuse: () => new Error('full') })
  const { begun, work, end } = lines()
  const first = run(work('a'))
  const second = run(work('b'))
  await expect(run(work('c'))).rejects.toThrow('full')
  end('a')
  await settled()
  const fourth = run(work('d'))
  end('b')
  await settled()
  end('d')
  expect(await Promise.all([first, second, fourth])).toEqual(['a', 'b', 'd'])
  expect(begun).toEqual(['a', 'b', 'd'])
})

it('keeps 100,000 callers, and of one more forgets the oldest', () => {
  const known = new Map(Array.from({ length: 100_000 }, (_, index) => [index, null]))
  forgetOldest(known)
  expect(known.size).toBe(100_000)
  known.set(100_000, null)
  forgetOldest(known)
  expect(known.size).toBe(100_000)
  expect([known.has(0), known.has(1), known.has(100_000)]).toEqual([false, true, true])
})

it('tells the state of a limit in headers', () => {
  expect(rateHeaders({ limit: 10, remaining: 0, resetSeconds: 3 })).toEqual({
    'ratelimit-limit': '10',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '3',
  })
})

it('begins to count a query at nothing', () => {
  expect(newMeter()).toEqual({ rows: 0, bytes: 0, engineMs: 0, rowsRead: 0, isWhole: false })
  expect(newMeter()).not.toBe(newMeter())
})
