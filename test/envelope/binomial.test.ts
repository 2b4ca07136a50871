import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { betaQuantile, binomialQuantile, incompleteBeta } from '../../src/envelope/binomial.ts'

type Fixtures = {
  betainc: { a: number; b: number; x: number; share: number }[]
  limits: { count: number; reaching: number; low: number; high: number }[]
  ranks: { count: number; low: number[]; high: number[] }[]
}

/** `binomial.py` in the same folder computes these numbers with scipy. */
const fixtures: Fixtures = JSON.parse(readFileSync(`${import.meta.dirname}/fixtures/binomial.json`, 'utf8'))
const levels = [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99]

const relative = (one: number, other: number): number =>
  Math.abs(one - other) / Math.max(Math.abs(one), Math.abs(other), 1e-280)

it('computes the incomplete beta function as scipy does', () => {
  const wrong = fixtures.betainc.filter(({ a, b, x, share }) => relative(incompleteBeta(x, a, b), share) > 1e-9)
  expect(wrong).toEqual([])
  expect([incompleteBeta(0, 2, 3), incompleteBeta(1, 2, 3)]).toEqual([0, 1])
})

it('finds the limits of Clopper and Pearson as scipy does', () => {
  const inner = fixtures.limits.flatMap(({ count, reaching, low, high }) => [
    ...(reaching === 0 ? [] : [[betaQuantile(0.025, reaching, count - reaching + 1), low] as const]),
    ...(reaching === count ? [] : [[betaQuantile(0.975, reaching + 1, count - reaching), high] as const]),
  ])
  expect(inner.length).toBeGreaterThan(100)
  expect(inner.filter(([found, right]) => relative(found, right) > 1e-10)).toEqual([])
})

it('finds the ranks of order statistics as scipy does', () => {
  for (const { count, low, high } of fixtures.ranks) {
    expect(levels.map((p) => binomialQuantile(0.025, count, p))).toEqual(low)
    expect(levels.map((p) => binomialQuantile(0.975, count, p) + 1)).toEqual(high)
  }
})

it('has the binomial distribution on both sides of a quantile', () => {
  // P(B ≤ 0) of n trials is 0.8^n, which is below 2.5 % from n = 17 on.
  expect([16, 17].map((n) => binomialQuantile(0.025, n, 0.2))).toEqual([0, 1])
  expect(binomialQuantile(1, 5, 0.5)).toBe(5)
})
