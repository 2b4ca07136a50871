import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { organisationSlots } from '../../src/base/semaphore.ts'

const never = AbortSignal.any([])
const immediate = () => new Promise((resolve) => setImmediate(resolve))

/** `start` runs a named task that adds its name to `begun`. The task holds its slot until the test calls `end`. */
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

it('leaves slots for others if one organisation wants all of them', async () => {
  const { begun, start, end } = begin(organisationSlots({ max: 3, ownMax: 2 }))
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => start(1, name))
  all.push(start(2, 'b1'))
  await immediate()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  all.push(start(3, 'c1'))
  end('a1')
  await immediate()
  // The task a3 was requested before c1. But a3 first waits for a slot of its organisation, so c1 comes before a3 in
  // the queue for the shared slots.
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1'])
  for (const name of ['a2', 'b1', 'c1']) end(name)
  await immediate()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
  for (const name of ['a3', 'a4']) end(name)
  await Promise.all(all)
})

it('does not start work whose caller disconnected while it waited, and gives its slot to the next', async () => {
  const { begun, start, end } = begin(organisationSlots({ max: 2, ownMax: 1 }))
  const leaving = new AbortController()
  const first = start(1, 'first')
  const second = start(1, 'second', leaving.signal)
  const third = start(1, 'third')
  leaving.abort()
  end('first')
  await expect(second).rejects.toMatchObject({ detail: 'the caller hung up' })
  await immediate()
  expect(begun).toEqual(['first', 'third'])
  end('third')
  await Promise.all([first, third])
})

it('refuses work if the queue of its organisation is full, and of no other', async () => {
  const queue = { max: 1, refuse: () => new Fault('TOO_MANY_REQUESTS') }
  const { begun, start, end } = begin(organisationSlots({ max: 2, ownMax: 1, queue }))
  const all = [start(1, 'a1'), start(1, 'a2')]
  await expect(start(1, 'a3')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  all.push(start(2, 'b1'))
  await immediate()
  expect(begun).toEqual(['a1', 'b1'])
  end('a1')
  await immediate()
  end('a2')
  end('b1')
  await Promise.all(all)
})
