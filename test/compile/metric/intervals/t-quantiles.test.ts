import { expect, it } from 'vitest'
import { sql } from '../../../../src/base/sql.ts'
import { confidences, tOf, tQuantile } from '../../../../src/compile/metric/intervals/t-quantiles.ts'

// Published tables of Student's t distribution, two-sided.
it.each([
  [0.9, 1, 6.3138],
  [0.9, 5, 2.015],
  [0.9, 120, 1.6577],
  [0.95, 1, 12.7062],
  [0.95, 2, 4.3027],
  [0.95, 3, 3.1824],
  [0.95, 10, 2.2281],
  [0.95, 60, 2.0003],
  [0.99, 1, 63.6567],
  [0.99, 4, 4.6041],
  [0.99, 30, 2.75],
  [0.99, 120, 2.6174],
])('the quantile of level %d for %d degrees of freedom is %d', (level, freedom, published) => {
  expect(tQuantile(level, freedom)).toBeCloseTo(published, 4)
})

it('is exact for one and two degrees of freedom, where there is a closed form', () => {
  for (const level of [0.9, 0.95, 0.99]) {
    expect(tQuantile(level, 1) / Math.tan((level * Math.PI) / 2)).toBeCloseTo(1, 13)
    expect(tQuantile(level, 2) / (level * Math.sqrt(2 / (1 - level ** 2)))).toBeCloseTo(1, 13)
  }
})

it('approaches the quantile of the normal distribution from above, for odd and even numbers alike', () => {
  for (const { level, z } of Object.values(confidences)) {
    const values = Array.from({ length: 200 }, (_, index) => tQuantile(level, index + 1))
    expect(values.every((value, index) => index === 0 || value < (values[index - 1] ?? 0))).toBe(true)
    expect(values.at(-1)).toBeGreaterThan(z)
    expect((values.at(-1) ?? 0) - z).toBeLessThan(0.03)
  }
})

it('continues above the table with an expansion that agrees with the exact quantile', () => {
  for (const confidence of Object.values(confidences)) {
    const bound = tOf(confidence, sql`v`).parts.flatMap((part) => (typeof part === 'string' ? [] : [part.value]))
    const coefficients = bound.find((value) => Array.isArray(value) && value.length === 5) as number[]
    for (const freedom of [201, 500]) {
      const expanded = coefficients.reduce((sum, one, power) => sum + one / freedom ** power, 0)
      expect(Math.abs(expanded / tQuantile(confidence.level, freedom) - 1)).toBeLessThan(1e-11)
    }
  }
})
