import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { canBeAskedWith } from '../../../src/catalog/visible.ts'
import { pointStatement } from '../../../src/compile/metric/aggregate.ts'
import type { MetricPlan } from '../../../src/compile/metric/metric-plan.ts'
import { aggregationOf, planOf, visible } from '../plans.ts'
import { conditionsOf, shown } from '../shown.ts'

const statistics = [
  'metricValue',
  'stdDev',
  'sampleCount',
  'agentCount',
  'unitCount',
  'ci90',
  'ci95',
  'ci99',
  'min',
  'max',
  'median',
  'percentiles',
]

const compiled = (asked: Parameters<typeof planOf>[0], pointsMax: number | null = null) => {
  const plan = planOf(asked)
  const { columns, query } = pointStatement('bg', plan, plan.aggregation ?? aggregationOf('daily'), pointsMax)
  return { columns, text: shown(query) }
}

it('knows the columns of its rows: the splits, the label, the statistics', () => {
  expect(compiled({ splits: ['isp', 'threads'] }).columns).toEqual([
    'shown_split1',
    'shown_split2',
    'dtime',
    ...statistics,
  ])
  expect(compiled({ aggregation: 'hour_of_day' }).columns).toEqual(['aggregatedNumber', ...statistics])
  expect(compiled({ aggregation: 'total' }).columns).toEqual(statistics)
  expect(compiled({ percentiles: 'none' }).columns).toEqual(['dtime', ...statistics.slice(0, -2)])
})

it('selects what it says it does, in that order', () => {
  const { columns, text } = compiled({ splits: ['isp', 'threads'] })
  const [selected = ''] = text.split('\nFROM (')
  expect(selected.split(',\n').map((line) => /AS (\w+)$/.exec(line)?.[1])).toEqual(columns)
})

it('orders by the splits as shown, null last, and then by bucket', () => {
  expect(compiled({}).text).toMatch(/\nORDER BY bucket$/)
  expect(compiled({ splits: ['isp', 'base'] }).text).toMatch(
    /\nORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, bucket$/,
  )
})

it('asks for one point more than an answer may have, and for all where there is no limit', () => {
  expect(compiled({}, 100).text).toMatch(/\nORDER BY bucket\nLIMIT \{101:UInt32\}$/)
  expect(compiled({}, null).text).not.toContain('LIMIT')
})

it('groups by bucket and splits', () => {
  expect(compiled({ splits: ['target', 'base'] }).text).toContain('\nGROUP BY bucket, split1, split2\n')
})

const goldens: [string, Parameters<typeof planOf>[0]][] = [
  ['plain-value', { splits: ['isp', 'threads'], prefilter: true }],
  ['plain-ratio', { metric: 'packetLoss', aggregation: 'hourly' }],
  ['plain-value-without-percentiles', { percentiles: 'none', aggregation: 'total' }],
  ['normalised-value', { normalised: true, aggregation: 'four_hourly', splits: ['package'] }],
  ['normalised-ratio', { metric: 'dnsFail', normalised: true, aggregation: 'day_of_week' }],
  ['normalised-ratio-without-percentiles', { metric: 'dnsFail', normalised: true, percentiles: 'none' }],
  ['sketched-value', { percentiles: 'sketch', splits: ['base'] }],
  ['sketched-ratio', { metric: 'packetLoss', percentiles: 'sketch', aggregation: 'monthly' }],
  ['sketched-normalised-value', { percentiles: 'sketch', normalised: true, splits: ['isp'] }],
  ['sketched-normalised-ratio', { metric: 'packetLoss', percentiles: 'sketch', normalised: true }],
]
it.each(goldens)('the statement of a %s is as reviewed', async (name, asked) => {
  await expect(`${compiled(asked, 100).text}\n`).toMatchFileSnapshot(`golden/${name}.sql`)
})

it('weighs no block where results are not normalised', () => {
  expect(compiled({}).text).not.toMatch(/block|each_/)
  expect(compiled({ percentiles: 'sketch' }).text).not.toMatch(/block|each_/)
})

it('sorts no values where percentiles are sketched or left out', () => {
  for (const percentiles of ['sketch', 'none'] as const)
    for (const normalised of [false, true])
      expect(compiled({ percentiles, normalised }).text).not.toMatch(/quantiles|tagged|arraySort\(tagged/)
})

/** Every table that is read by name; dictionaries are looked up by functions. */
const tablesRead = (text: string): string[] => [...text.matchAll(/FROM bg\.(\w+)/g)].map(([, name = '']) => name)

const scopeAndTime = ({ from, to }: MetricPlan): string[] => [
  'panel IN {[3,7]:Array(UInt32)}',
  'toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}',
  `local_second BETWEEN {${from}:Int64} AND {${to}:Int64}`,
]

/** Null when the only table read is the test's, and scope and time are its first conditions. */
function strayFrom(asked: Parameters<typeof planOf>[0]): unknown {
  const plan = planOf(asked)
  const text = shown(pointStatement('bg', plan, plan.aggregation ?? aggregationOf('daily'), null).query)
  const found = [tablesRead(text), conditionsOf(text).slice(0, 3)]
  return isDeepStrictEqual(found, [[plan.test.key], scopeAndTime(plan)]) ? null : { asked, found }
}

describe.each(visible.metrics.map((metric) => [metric.key, metric] as const))('%s', (metric, definition) => {
  const splits = visible.dimensions.filter((one) => canBeAskedWith(one, definition)).map(({ id }) => id)

  it.each(aggregations.map(({ key }) => key))(
    'by %s has scope and time first, whatever it is split by',
    (aggregation) => {
      const strays = splits.map((split) => strayFrom({ metric, aggregation, splits: [split], percentiles: 'none' }))
      expect(strays.length).toBeGreaterThan(6)
      expect(strays.filter((stray) => stray !== null)).toEqual([])
    },
  )

  it('has scope and time first, however its statistics are computed', () => {
    const variants = [false, true].flatMap((normalised) =>
      (['exact', 'sketch', 'none'] as const).map((percentiles) => ({
        metric,
        normalised,
        percentiles,
        prefilter: true,
      })),
    )
    expect(variants.map(strayFrom).filter((stray) => stray !== null)).toEqual([])
  })
})
