import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import {
  inUnit,
  percentileKeys,
  percentileLevels,
  percentilePositions,
  plainSpread,
  rowSums,
  type Spread,
  statisticColumns,
} from '../../../src/compile/metric/statistics.ts'
import { planOf } from '../plans.ts'
import { shown } from '../shown.ts'

const spread: Spread = { steps: [], metricValue: sql`m`, deviation: sql`d`, standardError: sql`e` }
const columns = (asked: Parameters<typeof planOf>[0]): [string, string][] =>
  statisticColumns(planOf(asked), spread).map(({ name, value }) => [name, shown(value)])

it('gives the statistics in the order of the answer, intervals from two results on', () => {
  expect(columns({})).toEqual([
    ['metricValue', 'm'],
    ['stdDev', 'd'],
    ['sampleCount', 'sample_count'],
    ['agentCount', 'agent_count'],
    ['unitCount', 'unit_count'],
    ['ci90', 'if(sample_count < 2, NULL, 1.6448536269514722 * e)'],
    ['ci95', 'if(sample_count < 2, NULL, 1.959963984540054 * e)'],
    ['ci99', 'if(sample_count < 2, NULL, 2.5758293035489004 * e)'],
    ['min', 'toFloat64(least) * 8 / 1e6'],
    ['max', 'toFloat64(greatest) * 8 / 1e6'],
    ['median', 'levels[6] * 8 / 1e6'],
    ['percentiles', 'arrayMap(level -> level * 8 / 1e6, levels)'],
  ])
})

it('gives percentages as they are', () => {
  expect(columns({ metric: 'packetLoss' }).slice(8)).toEqual([
    ['min', 'toFloat64(least)'],
    ['max', 'toFloat64(greatest)'],
    ['median', 'levels[6]'],
    ['percentiles', 'arrayMap(level -> level, levels)'],
  ])
})

it('gives neither median nor percentiles where none are asked for', () => {
  const names = columns({ percentiles: 'none' }).map(([name]) => name)
  expect(names).not.toContain('median')
  expect(names).not.toContain('percentiles')
  expect(names.at(-1)).toBe('max')
})

it('has a level and a position for each of the eleven percentiles, the median at the sixth', () => {
  const levels = shown(percentileLevels).split(', ').map(Number)
  expect(percentileKeys).toEqual(['1', '5', '10', '20', '25', '50', '75', '80', '90', '95', '99'])
  expect(levels).toEqual(percentileKeys.map((key) => Number(key) / 100))
  expect(percentilePositions.map(shown)).toEqual(percentileKeys.map((_, index) => String(index + 1)))
})

it.each([
  ['httpget', 'x * 8 / 1e6'],
  ['httpget_retrans', 'x'],
  ['latency', 'x / 1000'],
  ['packetLoss', 'x'],
  ['webgetAvg', 'x / 1e6'],
  ['wanDown', 'x / 1e6'],
])('gives %s in its unit as %s', (metric, expected) => {
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
it.each(catalog.metrics.map(({ key, unit }) => [key, unit] as const))('gives %s in %s', (metric, unit) => {
  expect(perUnit[unit]).toContain(shown(inUnit(planOf({ metric }), sql`x`)))
})

const sums = (metric: string): Record<string, string> =>
  Object.fromEntries(rowSums(planOf({ metric })).map(({ name, value }) => [name, shown(value)]))

it('sums whole numbers in types that cannot overflow', () => {
  expect(sums('httpget')).toEqual({
    total: 'sum(toInt128(number))',
    squares: 'sum(toInt256(toInt128(number) * number))',
    least: 'min(number)',
    greatest: 'max(number)',
  })
})

it('sums numerators, denominators and their products for a ratio', () => {
  expect(sums('packetLoss')).toEqual({
    numerators: 'sum(toInt128(numerator))',
    denominators: 'sum(toInt128(denominator))',
    numerator_squares: 'sum(toInt256(toInt128(numerator) * numerator))',
    products: 'sum(toInt256(toInt128(numerator) * denominator))',
    denominator_squares: 'sum(toInt256(toInt128(denominator) * denominator))',
    mean: 'avg(percentage)',
    variance: 'varPopStable(percentage)',
    least: 'min(percentage)',
    greatest: 'max(percentage)',
  })
})

it('takes mean and population deviation of values from exact sums', () => {
  const { steps, metricValue, deviation, standardError } = plainSpread(planOf({ metric: 'latency' }))
  const expected = 'sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count / 1000'
  expect(steps).toEqual([])
  expect(shown(metricValue)).toBe('toFloat64(total) / sample_count / 1000')
  expect(shown(deviation)).toBe(expected)
  expect(shown(standardError)).toBe(`${expected} / sqrt(sample_count)`)
})

it('takes a ratio of all attempts, and its error from the residuals Σ(a − R·d)² · (Σd)²', () => {
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
