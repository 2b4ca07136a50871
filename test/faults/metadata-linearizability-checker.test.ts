import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newSeed } from './dice.ts'
import { findAnomaly, type Operation } from './linearizability.ts'

const write = (value: string, startedAt: number, endedAt: number): Operation => ({
  kind: 'write',
  value,
  startedAt,
  endedAt,
})
const read = (value: string | null, startedAt: number, endedAt: number): Operation => ({
  kind: 'read',
  value,
  startedAt,
  endedAt,
})

const linearizable: Record<string, Operation[]> = {
  'nothing at all': [],
  'the empty register, then a value': [read(null, 0, 1), write('a', 2, 3), read('a', 4, 5)],
  'reads on both sides of a write that is under way': [write('a', 0, 10), read(null, 1, 2), read('a', 3, 4)],
  'two writes at once, read in either order': [write('a', 0, 10), write('b', 0, 10), read('b', 1, 2), read('a', 3, 4)],
  'operations that meet in one tick': [write('a', 0, 5), write('b', 5, 6), read('a', 6, 7), read('b', 7, 8)],
  'a write without an answer that took effect late': [
    write('a', 0, Infinity),
    write('b', 1, 2),
    read('b', 3, 4),
    read('a', 5, 6),
  ],
  'a write without an answer that never took effect': [write('a', 0, Infinity), write('b', 1, 2), read('b', 3, 4)],
}

const notLinearizable: Record<string, Operation[]> = {
  'a stale read after a newer one': [write('a', 0, 1), write('b', 2, 9), read('b', 3, 4), read('a', 5, 6)],
  'a lost update': [write('a', 0, 1), write('b', 2, 3), read('a', 4, 5)],
  'a lost first update': [write('a', 0, 1), read(null, 2, 3)],
  'a value no client wrote': [write('a', 0, 1), read('z', 2, 3)],
  'a read that ended before the write began': [read('a', 0, 1), write('a', 2, 3)],
  'the same before a write without an answer': [read('a', 0, 1), write('a', 2, Infinity)],
  'two readers who disagree about the order': [
    write('a', 0, 10),
    write('b', 0, 10),
    read('a', 1, 2),
    read('b', 3, 4),
    read('a', 5, 6),
  ],
  'a write without an answer that took effect twice': [
    write('a', 0, Infinity),
    read('a', 1, 2),
    write('b', 3, 4),
    read('b', 5, 6),
    read('a', 7, 8),
  ],
  'the empty register again': [write('a', 0, 9), read('a', 1, 2), read(null, 3, 4)],
}

it.each(Object.entries(linearizable))('accepts %s', (_name, history) => {
  expect([findAnomaly(history), isExplainable(history)]).toEqual([null, true])
})

it.each(Object.entries(notLinearizable))('refuses %s', (_name, history) => {
  expect([findAnomaly(history), isExplainable(history)]).toEqual([expect.any(String), false])
})

it('refuses to judge values that are not unique', () => {
  expect(() => findAnomaly([write('a', 0, 1), write('a', 2, 3)])).toThrow('written twice')
})

/**
 * Tries every order of the operations. This is too slow for real histories, but so simple that it is certainly right.
 */
function isExplainable(left: readonly Operation[], holds: string | null = null): boolean {
  if (left.every(({ endedAt }) => endedAt === Infinity)) return true
  return left.some((next) => {
    if (left.some(({ endedAt }) => endedAt < next.startedAt)) return false
    if (next.kind === 'read' && next.value !== holds) return false
    return isExplainable(
      left.filter((one) => one !== next),
      next.value,
    )
  })
}

it('agrees with trying every order', { timeout: 60_000 }, () => {
  const seed = newSeed()
  const times = fc.tuple(fc.integer({ min: 0, max: 14 }), fc.integer({ min: 1, max: 6 }))
  const reads = fc.tuple(fc.constantFrom(null, 'a', 'b', 'c', 'z'), times)
  const histories = fc
    .tuple(fc.array(fc.tuple(fc.boolean(), times), { maxLength: 3 }), fc.array(reads, { maxLength: 4 }))
    .map(([writes, readings]) => [
      ...writes.map(([answered, [at, lasting]], index) =>
        write('abc'.charAt(index), at, answered ? at + lasting : Infinity),
      ),
      ...readings.map(([value, [at, lasting]]) => read(value, at, at + lasting)),
    ])
  let refused = 0
  const runs = 20_000
  fc.assert(
    fc.property(histories, (history) => {
      const anomaly = findAnomaly(history)
      refused += anomaly === null ? 0 : 1
      expect(anomaly === null, String(anomaly)).toBe(isExplainable(history))
    }),
    { numRuns: runs, seed },
  )
  console.log(`checker: seed ${seed}, ${runs} random histories judged alike, ${refused} of them not linearizable`)
  expect(Math.min(refused, runs - refused)).toBeGreaterThan(runs / 10)
})
