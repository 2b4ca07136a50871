import { expect, it } from 'vitest'
import {
  fractionList,
  percentileLevelsOf,
  shownLevels,
} from '../../../../src/compile/metric/distribution/percentile-levels.ts'
import { shown } from '../../shown.ts'

it('has eleven percentiles, the median at the sixth, if the request names none', () => {
  const levels = percentileLevelsOf({})
  expect(levels.keys).toEqual(['1', '5', '10', '20', '25', '50', '75', '80', '90', '95', '99'])
  expect(levels.all).toEqual(levels.keys.map((key) => Number(key) / 100))
  expect(levels.fractions).toEqual(levels.all)
  expect(shown(levels.medianPosition)).toBe('6')
  expect(shown(shownLevels(levels))).toBe('levels')
})

it('computes the median beside the named percentiles, and leaves it out of them', () => {
  const levels = percentileLevelsOf({ percentileLevels: [2.5, 97.5, 99.9] })
  expect(levels.keys).toEqual(['2.5', '97.5', '99.9'])
  expect(levels.all).toEqual([0.025, 0.5, 0.975, 0.999])
  expect(shown(levels.medianPosition)).toBe('2')
  expect(shown(shownLevels(levels))).toBe('[levels[1], levels[3], levels[4]]')
})

it.each([
  [99.9, '0.999'],
  [7, '0.07'],
  [0.1, '0.001'],
  [33.3, '0.333'],
  [1e-7, '1e-9'],
])('writes level %d as the fraction %s', (level, text) => {
  expect(shown(fractionList(percentileLevelsOf({ percentileLevels: [level] }).fractions))).toBe(text)
})
