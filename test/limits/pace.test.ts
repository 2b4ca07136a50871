import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keepPace, type Pace } from '../../src/serve/pace.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** What is expected of 48 places after each of these gaps. */
const expectations = (pace: Pace, gapsMs: readonly number[]): number[] =>
  gapsMs.map((gapMs) => {
    vi.advanceTimersByTime(gapMs)
    pace.note()
    return pace.expectedMs(48)
  })

const times = <Item>(count: number, items: readonly Item[]): Item[] => Array.from({ length: count }, () => items).flat()

it('is not misled by a heavy query among light ones', () => {
  const pace = keepPace()
  pace.begin()
  const mixed = [10, 10, 10, 10, 10, 10, 20, 20, 20, 230]
  expectations(pace, times(10, mixed))
  for (const expected of expectations(pace, times(20, mixed))) {
    expect(expected).toBeGreaterThan(1_300)
    expect(expected).toBeLessThan(2_100)
  }
})

it('notices within two seconds that it has become slower, and that nothing becomes free at all', () => {
  const pace = keepPace()
  pace.begin()
  expectations(pace, times(60, [30]))
  expect(expectations(pace, [400, 400, 400, 400]).at(-1)).toBeGreaterThan(3_000)
  const slow = pace.expectedMs(5)
  vi.advanceTimersByTime(2_000)
  expect(pace.expectedMs(5)).toBeGreaterThan(4 * slow)
})

it('is not misled by the first of many that began together', () => {
  const pace = keepPace()
  pace.begin()
  // Sixteen at a time, twenty a second: the first ends after most of a second, the others soon after it.
  for (const expected of expectations(pace, [800, ...times(15, [50])])) expect(expected).toBeLessThan(2_600)
})

it('does not count the time in which nobody waited', () => {
  const pace = keepPace()
  pace.begin()
  const [before] = expectations(pace, times(60, [30])).slice(-1)
  vi.advanceTimersByTime(60_000)
  pace.begin()
  expect(pace.expectedMs(48)).toBeCloseTo(before ?? 0, 6)
})
