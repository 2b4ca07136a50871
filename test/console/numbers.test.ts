import { expect, it } from 'vitest'
import { shareText } from '../../console/src/chart/numbers.ts'

it.each([
  [0, 7, '0 %'],
  [1, 1_000_000_000, 'less than 0.001 %'],
  [1, 3, '33 %'],
  [5, 1_000, '0.5 %'],
  [984, 1_000, '98 %'],
  [995, 1_000, '99.5 %'],
  [99_999, 100_000, '99.9 %'],
  [7, 7, '100 %'],
])('writes %i of %i as %s, and never rounds some to none or most to all', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text)
})
