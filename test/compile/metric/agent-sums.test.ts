import { expect, it } from 'vitest'
import { blockSums, ofAgent, ofPoint, plainSums, type AgentSum } from '../../../src/compile/metric/agent-sums.ts'
import { sampleValue } from '../../../src/compile/metric/samples.ts'
import { metricOf, planOf } from '../plans.ts'
import { shown } from '../shown.ts'

const ofAgents = (sums: readonly AgentSum[]) => Object.fromEntries(sums.map((one) => [one.name, shown(one.ofAgent)]))
const plain = (metric: string) => ofAgents(plainSums(planOf({ metric })))

it('sums whole numbers in types that cannot overflow', () => {
  expect(plain('httpget')).toEqual({
    sample_count: 'count()',
    least: 'min(number)',
    greatest: 'max(number)',
    total: 'sum(toInt128(number))',
    squares: 'sum(toInt256(toInt128(number) * number))',
  })
})

it('squares numbers of 128 bits in 256 bits, and takes percentiles of them as floating-point numbers', () => {
  expect(plain('wanDown')).toMatchObject({ squares: 'sum(toInt256(number) * number)', least: 'min(number)' })
  expect(['wanDown', 'httpget', 'packetLoss'].map((metric) => shown(sampleValue(metricOf(metric).measure)))).toEqual([
    'toFloat64(number)',
    'number',
    'percentage',
  ])
})

it('sums numerators, denominators, their products, and whole numbers of percentages for a ratio', () => {
  const percentage = 'toInt128(round(percentage * 1e12))'
  expect(plain('packetLoss')).toEqual({
    sample_count: 'count()',
    least: 'min(percentage)',
    greatest: 'max(percentage)',
    numerators: 'sum(toInt128(numerator))',
    denominators: 'sum(toInt128(denominator))',
    numerator_squares: 'sum(toInt256(toInt128(numerator) * numerator))',
    products: 'sum(toInt256(toInt128(numerator) * denominator))',
    denominator_squares: 'sum(toInt256(toInt128(denominator) * denominator))',
    percentages: `sum(${percentage})`,
    percentage_squares: `sum(toInt256(${percentage}) * ${percentage})`,
  })
})

it('gives the columns of the two levels different names, because a SELECT would read its own alias', () => {
  for (const sum of [...plainSums(planOf({})), ...blockSums(planOf({ normalised: true }))]) {
    expect(ofAgent(sum).name).toBe(`own_${sum.name}`)
    expect(ofPoint(sum).name).toBe(sum.name)
    expect(shown(ofPoint(sum).value)).toContain(`own_${sum.name}`)
  }
})

it('gives a block without results one result and one attempt but no hours', () => {
  const merged = Object.fromEntries(
    blockSums(planOf({ metric: 'packetLoss', normalised: true })).map((one) => [one.name, shown(ofPoint(one).value)]),
  )
  expect(merged['each_results']).toBe('arrayMap(n -> greatest(n, 1), sumForEach(own_each_results))')
  expect(merged['each_denominators']).toBe('arrayMap(n -> greatest(n, 1), sumForEach(own_each_denominators))')
  expect(merged['each_hours']).toBe('maxForEach(own_each_hours)')
  expect(merged['each_numerators']).toBe('sumForEach(own_each_numerators)')
})
