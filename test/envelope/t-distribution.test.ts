import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { incompleteBeta } from '../../src/envelope/binomial.ts'
import { holm, twoSidedTail, tWithTail } from '../../src/envelope/t-distribution.ts'

type Fixtures = {
  tails: { t: number; freedom: number; tail: number }[]
  quantiles: { t: number; freedom: number; tail: number }[]
  betainc: { a: number; b: number; x: number; share: number }[]
}

/** `t-distribution.py` in the same folder computes these numbers with scipy. */
const fixtures: Fixtures = JSON.parse(readFileSync(`${import.meta.dirname}/fixtures/t-distribution.json`, 'utf8'))

const relative = (one: number, other: number): number => Math.abs(one - other) / Math.max(Math.abs(other), 1e-280)

it('computes the incomplete beta function of numbers that are not whole as scipy does', () => {
  expect(fixtures.betainc.filter(({ a, b, x, share }) => relative(incompleteBeta(x, a, b), share) > 1e-11)).toEqual([])
})

it('computes two-sided tails as scipy does, also for degrees of freedom that are not whole', () => {
  expect(fixtures.tails.filter(({ t, freedom, tail }) => relative(twoSidedTail(t, freedom), tail) > 1e-10)).toEqual([])
  expect(fixtures.tails).toHaveLength(105)
  expect([twoSidedTail(0, 3.5), twoSidedTail(-2, 3.5)]).toEqual([1, twoSidedTail(2, 3.5)])
})

it('finds quantiles as scipy does', () => {
  // scipy's own quantiles have a relative error of up to 1e-8.
  expect(fixtures.quantiles.filter(({ t, freedom, tail }) => relative(tWithTail(tail)(freedom), t) > 1e-8)).toEqual([])
  expect(fixtures.quantiles).toHaveLength(75)
  const missed = fixtures.quantiles.filter(
    ({ freedom, tail }) => relative(twoSidedTail(tWithTail(tail)(freedom), freedom), tail) > 1e-9,
  )
  expect(missed).toEqual([])
})

it('adjusts p-values as Holm does', () => {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02])
  // R: p.adjust(c(0.5, 0.9, 0.02, 0.02), "holm")
  expect(holm([0.5, 0.9, 0.02, 0.02])).toEqual([1, 1, 0.08, 0.08])
  expect(holm([0.2])).toEqual([0.2])
  expect(holm([])).toEqual([])
})

it('does not count a missing p-value', () => {
  expect(holm([null, 0.01, null, 0.02])).toEqual([null, 0.02, null, 0.02])
  expect(holm([0, null, 0])).toEqual([0, null, 0])
})
