import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dayOf, dayOfBuild, rolledDays, wholeDays, type RolledDays } from '../../../src/compile/rollup/rolled-days.ts'
import { shown } from '../shown.ts'

const day = 86_400
const good = (...days: number[]): Map<number, number[]> => new Map(days.map((one) => [one, [one * 10]]))

it.each([
  [0, day - 1, 0, 0],
  [0, day - 2, 0, -1],
  [1, day - 1, 1, 0],
  [1, 2 * day - 1, 1, 1],
  [10 * day, 13 * day - 1, 10, 12],
  [10 * day - 1, 13 * day, 10, 12],
])('has in the seconds %d to %d the whole days %d to %d', (from, to, first, last) => {
  expect(wholeDays({ from, to })).toEqual({ first, last })
})

it('leaves to the results what is before, between and after the days of rollups', () => {
  expect(rolledDays({ from: 10 * day - 5, to: 14 * day + 6 }, 'isp', good(10, 12, 13))).toEqual({
    grain: 'isp',
    days: { first: 10, last: 13 },
    daysOfBuilds: [100 * 65_536 + 10, 120 * 65_536 + 12, 130 * 65_536 + 13],
    rest: [
      { from: 10 * day - 5, to: 10 * day - 1 },
      { from: 11 * day, to: 12 * day - 1 },
      { from: 14 * day, to: 14 * day + 6 },
    ],
  })
})

it('leaves nothing to the results of a range that rollups cover completely', () => {
  expect(rolledDays({ from: 10 * day, to: 12 * day - 1 }, 'none', good(10, 11))?.rest).toEqual([])
})

it('uses every build that has a day', () => {
  const several = new Map([[10, [7, 9]]])
  expect(rolledDays({ from: 10 * day, to: 11 * day - 1 }, 'none', several)?.daysOfBuilds).toEqual([
    7 * 65_536 + 10,
    9 * 65_536 + 10,
  ])
})

it('uses no rollup of days that are not completely in the range', () => {
  expect(rolledDays({ from: 10 * day + 1, to: 11 * day - 1 }, 'none', good(10))).toBeNull()
  expect(rolledDays({ from: 10 * day, to: 11 * day - 2 }, 'none', good(10))).toBeNull()
  expect(rolledDays({ from: 10 * day, to: 11 * day - 1 }, 'none', good(9, 11))).toBeNull()
})

it('uses the last 40 runs of days if there are more', () => {
  const every = (count: number) => good(...Array.from({ length: count }, (_, index) => 10 + 2 * index))
  const range = { from: 0, to: 1000 * day - 1 }
  expect(rolledDays(range, 'none', every(40))?.days).toEqual({ first: 10, last: 88 })
  expect(rolledDays(range, 'none', every(41))?.days).toEqual({ first: 12, last: 90 })
  expect(rolledDays(range, 'none', every(41))?.daysOfBuilds).toHaveLength(40)
})

it('writes a day and its build as one number, as ClickHouse does', () => {
  expect(shown(dayOfBuild)).toBe('build * 65536 + toUInt16(day)')
  expect(dayOf(123 * 65_536 + 20_000)).toBe(20_000)
})

it('covers every second of a range once, by a day of rollups or by the rest', () => {
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 31 })
  const ends = fc.tuple(fc.integer({ min: 0, max: 31 * day }), fc.integer({ min: 0, max: 31 * day }))
  const covered = ({ daysOfBuilds, rest }: RolledDays): number =>
    daysOfBuilds.length * day + rest.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  fc.assert(
    fc.property(days, ends, (some, [one, other]) => {
      const range = { from: Math.min(one, other), to: Math.max(one, other) }
      const found = rolledDays(range, 'none', good(...some))
      if (found === null) return
      expect(covered(found)).toBe(range.to - range.from + 1)
      const spans = [
        ...found.rest,
        ...found.daysOfBuilds.map((number) => ({ from: dayOf(number) * day, to: (dayOf(number) + 1) * day - 1 })),
      ]
      const sorted = spans.toSorted((a, b) => a.from - b.from)
      expect(sorted[0]?.from).toBe(range.from)
      expect(sorted.at(-1)?.to).toBe(range.to)
      for (const [index, span] of sorted.slice(1).entries()) expect(span.from).toBe((sorted[index]?.to ?? 0) + 1)
    }),
  )
})
