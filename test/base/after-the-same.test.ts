import { expect, it } from 'vitest'
import { afterTheSame } from '../../src/base/semaphore.ts'

const never = AbortSignal.any([])
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('does work of one name one after the other, in its order, and that of another name beside it', async () => {
  const run = afterTheSame()
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
  await settled()
  expect(begun).toEqual(['a1', 'b1'])
  ends.get('a1')?.reject(new Error('this one failed'))
  await settled()
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  ends.get('a2')?.resolve('second')
  await settled()
  ends.get('a3')?.resolve('third')
  ends.get('b1')?.resolve('other')
  expect((await outcomes).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'failed',
    'second',
    'third',
    'other',
  ])
})

it('lets whoever waits give up, and nobody wait for them', async () => {
  const run = afterTheSame()
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

it('begins nothing for a caller who has left before', async () => {
  const run = afterTheSame()
  const first = Promise.withResolvers<void>()
  const firstRun = run('a', never, () => first.promise)
  await expect(run('a', AbortSignal.abort(), async () => 'second')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  first.resolve()
  await firstRun
})
