import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { inUnit, plainSpread } from '../../../src/compile/metric/statistics.ts'
import { planOf } from '../plans.ts'
import { shown } from '../shown.ts'

it.each([
  ['httpget', 'x * 8 / 1e6'],
  ['httpget_retrans', 'x'],
  ['latency', 'x / 1000'],
  ['packetLoss', 'x'],
  ['webgetAvg', 'x / 1e6'],
  ['wanDown', 'x / 1e6'],
])('scales %s to its unit as %s', (metric, expected) => {
  expect(shown(inUnit(planOf({ metric }), sql`x`))).toBe(expected)
})

const perUnit: Record<string, string[]> = {
  mbps: ['x * 8 / 1e6'],
  ms: ['x / 1000'],
  s: ['x / 1e6'],
  MB: ['x / 1e6'],
  count: ['x'],
  '%': ['x'],
}
it.each(catalog.metrics.map(({ key, unit }) => [key, unit] as const))('rounds %s in %s', (metric, unit) => {
  expect(perUnit[unit]).toContain(shown(inUnit(planOf({ metric }), sql`x`)))
})

it('computes mean and population deviation of values from exact sums', () => {
  const { steps, metricValue, deviation, standardError } = plainSpread(planOf({ metric: 'latency' }))
  const expected = 'sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count / 1000'
  expect(steps).toEqual([])
  expect(shown(metricValue)).toBe('toFloat64(total) / sample_count / 1000')
  expect(shown(deviation)).toBe(expected)
  expect(shown(standardError)).toBe(`${expected} / sqrt(sample_count)`)
})

it('computes a ratio over all attempts, and its error from the residuals Σ(a − R·d)² · (Σd)²', () => {
  const { steps, metricValue, deviation, standardError } = plainSpread(planOf({ metric: 'packetLoss' }))
  expect(steps.map((step) => step.map(({ name, value }) => [name, shown(value)]))).toEqual([
    [
      [
        'residuals',
        'toInt256(denominators) * denominators * numerator_squares' +
          ' - 2 * toInt256(numerators) * denominators * products' +
          ' + toInt256(numerators) * numerators * denominator_squares',
      ],
    ],
  ])
  expect(shown(metricValue)).toBe('100 * toFloat64(numerators) / toFloat64(denominators)')
  expect(shown(deviation)).toBe('sqrt(variance)')
  expect(shown(standardError)).toBe(
    '100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators)',
  )
})
