import { expect, it } from 'vitest'
import { keyedMutex } from '../../src/base/semaphore.ts'

const never = AbortSignal.any([])
const immediate = () => new Promise((resolve) => setImmediate(resolve))

it('runs work of one key one after the other, in order, and work of another key concurrently', async () => {
  const run = keyedMutex()
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const work = (name: string) => () => {
    begun.push(name)
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return end.promise
  }
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => run(name.slice(0, 1), never, work(name)))
  const outcomes = Promise.allSettled(all)
  await immediate()
  expect(begun).toEqual(['a1', 'b1'])
  ends.get('a1')?.reject(new Error('this one failed'))
  await immediate()
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  ends.get('a2')?.resolve('second')
  await immediate()
  ends.get('a3')?.resolve('third')
  ends.get('b1')?.resolve('other')
  expect((await outcomes).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'failed',
    'second',
    'third',
    'other',
  ])
})

it('lets a waiting caller give up without delaying others', async () => {
  const run = keyedMutex()
  const first = Promise.withResolvers<void>()
  const leaving = new AbortController()
  const firstRun = run('a', never, () => first.promise)
  const second = run('a', leaving.signal, async () => 'second')
  const third = run('a', never, async () => 'third')
  leaving.abort()
  await expect(second).rejects.toMatchObject({ detail: 'the caller hung up' })
  first.resolve()
  expect([await firstRun, await third]).toEqual([undefined, 'third'])
})

it('starts nothing for a caller that has already disconnected', async () => {
  const run = keyedMutex()
  const first = Promise.withResolvers<void>()
  const firstRun = run('a', never, () => first.promise)
  await expect(run('a', AbortSignal.abort(), async () => 'second')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  first.resolve()
  await firstRun
})
