import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { organisationSlots } from '../../src/base/semaphore.ts'

const never = AbortSignal.any([])
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Work that is noted when it begins, and ends when it is told to. */
function begin(run: ReturnType<typeof organisationSlots>) {
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const start = (organisationId: number, name: string, signal = never) =>
    run({ organisationId }, signal, () => {
      begun.push(name)
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      return end.promise
    })
  return { begun, start, end: (name: string) => ends.get(name)?.resolve() }
}

it('leaves slots to others when one organisation wants them all', async () => {
  const { begun, start, end } = begin(organisationSlots({ max: 3, ownMax: 2 }))
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => start(1, name))
  all.push(start(2, 'b1'))
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  all.push(start(3, 'c1'))
  end('a1')
  await settled()
  // The third of the first organisation came before the first of the third one, but not to a slot of all.
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1'])
  for (const name of ['a2', 'b1', 'c1']) end(name)
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
  for (const name of ['a3', 'a4']) end(name)
  await Promise.all(all)
})

it('begins no work whose caller has left while it waited, and hands its slot on', async () => {
  const { begun, start, end } = begin(organisationSlots({ max: 2, ownMax: 1 }))
  const leaving = new AbortController()
  const first = start(1, 'first')
  const second = start(1, 'second', leaving.signal)
  const third = start(1, 'third')
  leaving.abort()
  end('first')
  await expect(second).rejects.toMatchObject({ detail: 'the caller hung up' })
  await settled()
  expect(begun).toEqual(['first', 'third'])
  end('third')
  await Promise.all([first, third])
})

it('refuses whoever would wait in a queue that is full, of one organisation alone', async () => {
  const queue = { max: 1, refuse: () => new Fault('TOO_MANY_REQUESTS') }
  const { begun, start, end } = begin(organisationSlots({ max: 2, ownMax: 1, queue }))
  const all = [start(1, 'a1'), start(1, 'a2')]
  await expect(start(1, 'a3')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  all.push(start(2, 'b1'))
  await settled()
  expect(begun).toEqual(['a1', 'b1'])
  end('a1')
  await settled()
  end('a2')
  end('b1')
  await Promise.all(all)
})
