import { describe, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { hourlyBlocks, speedTestBlocks, type Schedule } from '../../../src/catalog/schedules.ts'
import { anyTime } from '../../../src/compile/metric/clock/week.ts'
import { blockAliases, normalisedSpread } from '../../../src/compile/metric/normalise.ts'
import { planOf } from '../plans.ts'
import { shown } from '../shown.ts'

const day = Array.from({ length: 24 }, (_, hour) => hour)

/**
 * For each local hour: the block of the schedule that contains the hour, and how many hours of that block are in the
 * bucket. The parameter `hours` is the length of a bucket in hours, or null if a bucket has whole days.
 */
function blocks(
  schedule: Schedule,
  hours: (typeof aggregations)[number]['hours'],
): { block: number[]; hours: number[] } {
  const [, block, inside] = blockAliases(schedule, { hours }, anyTime).map(({ value }) =>
    value.parts.flatMap((part) => (typeof part === 'string' ? [] : (part.value as number[]))),
  )
  return { block: block ?? [], hours: inside ?? [] }
}

it('looks a row’s block up by its local hour', () => {
  expect(blockAliases([0, 12, 24], { hours: null }, anyTime).map(({ name, value }) => [name, shown(value)])).toEqual([
    ['local_hour', 'intDiv(local_second % 86400, 3600)'],
    ['block', `{${JSON.stringify(day.map((hour) => (hour < 12 ? 0 : 1)))}:Array(UInt8)}[local_hour + 1]`],
    ['block_hours', `{${JSON.stringify(day.map(() => 12))}:Array(UInt8)}[local_hour + 1]`],
  ])
})

it('weights a block of the speed tests by all its hours if buckets have whole days', () => {
  expect(blocks(speedTestBlocks, null)).toEqual({
    block: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5],
    hours: [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 2, 2, 2, 2, 2, 2],
  })
})

it('weights a block by its hours inside the bucket: 16 to 20 has two hours of one and two of the next', () => {
  expect(blocks(speedTestBlocks, 4).hours).toEqual([
    4, 4, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2,
  ])
})

describe.each([
  ['speed tests', speedTestBlocks],
  ['other tests', hourlyBlocks],
] as const)('the schedule of %s', (_name, schedule) => {
  it.each(aggregations.map(({ key, hours }) => [key, hours] as const))(
    'fills a bucket of %s exactly',
    (_key, hours) => {
      const length = hours ?? 24
      const { block, hours: inside } = blocks(schedule, hours)
      for (let start = 0; start < 24; start += length) {
        const perBlock = new Map(day.slice(start, start + length).map((hour) => [block[hour], inside[hour]]))
        const sum = [...perBlock.values()].reduce((all: number, one) => all + (one ?? 0), 0)
        expect(sum, `from ${start}`).toBe(length)
      }
    },
  )
})

const spreadOf = (metric: string): { steps: [string, string][][]; ends: string[] } => {
  const { steps, metricValue, deviation, standardError } = normalisedSpread(planOf({ metric, normalised: true }))
  return {
    steps: steps.map((step) => step.map(({ name, value }) => [name, shown(value)])),
    ends: [metricValue, deviation, standardError].map(shown),
  }
}

it('weights a result by hours(b) / results(b): mean, deviation and error of values', () => {
  expect(spreadOf('latency')).toEqual({
    steps: [
      [
        ['weight', 'arraySum(each_hours)'],
        ['midst', 'intDiv(arraySum(each_total), toInt128(sample_count))'],
      ],
      [
        ['effective', 'weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results)'],
        ['each_mean', 'arrayMap((t, n) -> toFloat64(t - n * midst) / n, each_total, each_results)'],
        [
          'each_variance',
          'arrayMap((t, q, n) -> toFloat64(toInt256(n) * q - toInt256(t) * t) / n / n, each_total, each_squares, each_results)',
        ],
      ],
      [['mean', 'arraySum((h, m) -> h * m, each_hours, each_mean) / weight']],
      [
        [
          'variance',
          'arraySum((h, v, m) -> h * (v + (m - mean) * (m - mean)), each_hours, each_variance, each_mean) / weight',
        ],
      ],
    ],
    ends: ['(toFloat64(midst) + mean) / 1000', 'sqrt(variance) / 1000', 'sqrt(variance) / 1000 / sqrt(effective)'],
  })
})

it('weights attempts the same way: R = Σwa/Σwd, and its error from Σw²(a − R·d)²', () => {
  const own =
    'toFloat64(toInt256(d) * d * aa - 2 * toInt256(a) * d * ad + toInt256(a) * a * dd) / toFloat64(d) / toFloat64(d)'
  const ahead = '(toFloat64(a) / toFloat64(d) - share)'
  expect(spreadOf('packetLoss')).toEqual({
    steps: [
      [
        ['weight', 'arraySum(each_hours)'],
        [
          'weighted_numerators',
          'arraySum((h, n, x) -> h / n * toFloat64(x), each_hours, each_results, each_numerators)',
        ],
        [
          'weighted_denominators',
          'arraySum((h, n, x) -> h / n * toFloat64(x), each_hours, each_results, each_denominators)',
        ],
      ],
      [
        ['effective', 'weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results)'],
        ['share', 'weighted_numerators / weighted_denominators'],
        ['mean', 'arraySum((h, m) -> h * m, each_hours, each_mean) / weight'],
      ],
      [
        [
          'variance',
          'arraySum((h, v, m) -> h * (v + (m - mean) * (m - mean)), each_hours, each_variance, each_mean) / weight',
        ],
        [
          'residuals',
          `arraySum((h, n, a, d, aa, ad, dd) -> h * h / n / n * greatest(${own} + 2 * ${ahead} * toFloat64(toInt256(d) * ad - toInt256(a) * dd) / toFloat64(d) + ${ahead} * ${ahead} * toFloat64(dd), 0), ` +
            'each_hours, each_results, each_numerators, each_denominators, each_numerator_squares, each_products, each_denominator_squares)',
        ],
      ],
    ],
    ends: ['100 * share', 'sqrt(variance)', '100 * sqrt(residuals) / weighted_denominators'],
  })
})
