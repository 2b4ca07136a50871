import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { isAllowedWith } from '../../../src/catalog/visible.ts'
import { pointStatement } from '../../../src/compile/metric/aggregate.ts'
import type { MetricPlan } from '../../../src/compile/metric/metric-plan.ts'
import { aggregationOf, dimensionOf, planOf, visible } from '../plans.ts'
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
  'caution',
]

const compiled = (asked: Parameters<typeof planOf>[0], pointsMax: number | null = null) => {
  const plan = planOf(asked)
  const { columns, query } = pointStatement('bg', plan, plan.aggregation ?? aggregationOf('daily'), pointsMax)
  return { columns, text: shown(query) }
}

it('has the columns of its rows: the splits, the label, the statistics', () => {
  expect(compiled({ splits: ['isp', 'threads'] }).columns).toEqual([
    'shown_split1',
    'shown_split2',
    'dtime',
    ...statistics,
  ])
  expect(compiled({ aggregation: 'hour_of_day' }).columns).toEqual(['aggregatedNumber', ...statistics])
  expect(compiled({ aggregation: 'total' }).columns).toEqual(statistics)
  expect(compiled({ percentiles: 'none' }).columns).toEqual(['dtime', ...statistics.slice(0, -3), 'caution'])
})

it('has the column `partial` last if the plan says which periods are whole', () => {
  const whole = { from: 0, to: 86_399 }
  expect(compiled({ whole }).columns).toEqual(['dtime', ...statistics, 'partial'])
  expect(compiled({ whole }, 100).text).toContain(
    ',\n  toBool(toInt64(toUInt16(bucket) * 86400) NOT BETWEEN {0:Int64} AND {86399:Int64}) AS partial\nFROM (',
  )
})

it('selects the declared columns, in that order', () => {
  const { columns, text } = compiled({ splits: ['isp', 'threads'] })
  const [selected = ''] = text.split('\nFROM (')
  expect(selected.split(',\n').map((line) => /AS (\w+)$/.exec(line)?.[1])).toEqual(columns)
})

it('orders by the displayed splits, null last, and then by bucket', () => {
  expect(compiled({}).text).toMatch(/\nORDER BY bucket$/)
  expect(compiled({ splits: ['isp', 'base'] }).text).toMatch(
    /\nORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, bucket$/,
  )
})

it('limits to one point more than a response may have, and not at all without a limit', () => {
  expect(compiled({}, 100).text).toMatch(/\nORDER BY bucket\nLIMIT \{101:UInt32\}$/)
  expect(compiled({}, null).text).not.toContain('LIMIT')
})

it('groups by bucket and splits', () => {
  expect(compiled({ splits: ['target', 'base'] }).text).toContain('\nGROUP BY bucket, split1, split2\n')
})

const ofMean = { statistic: 'mean', minimumResults: 1 } as const

const northnet = {
  kind: 'leaf',
  dimension: dimensionOf('isp'),
  type: 'include',
  values: ['Northnet'],
  ids: [1],
  names: ['Northnet'],
} as const
const previous = {
  base: { kind: 'time', range: { from: 1_764_547_200, to: 1_767_225_599 }, shiftDays: 31 },
  alpha: 0.05,
} as const

const goldens: [string, Parameters<typeof planOf>[0]][] = [
  ['explained-prefilter', { prefilter: true, include: ['prefilter'], percentiles: 'none' }],
  [
    'explained-normalised-prefilter',
    { prefilter: true, include: ['prefilter'], normalised: true, fields: ['metricValue'], metric: 'dnsFail' },
  ],
  ['coverage', { include: ['coverage'], fields: ['metricValue'], splits: ['isp'], aggregation: 'six_hourly' }],
  ['coverage-of-weekdays', { include: ['coverage'], fields: ['metricValue'], aggregation: 'day_of_week' }],
  [
    'coverage-in-a-window',
    {
      include: ['coverage'],
      fields: ['metricValue'],
      splits: ['isp', 'peak'],
      window: { weekdays: [6, 7], hours: null },
      aggregation: 'weekly',
    },
  ],
  [
    'coverage-of-days-of-the-month-in-a-window',
    {
      include: ['coverage'],
      fields: ['metricValue'],
      window: { weekdays: [1, 2], hours: [0, 6] },
      aggregation: 'day_of_month',
    },
  ],
  ['window', { window: { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] }, percentiles: 'none' }],
  ['normalised-off-peak', { normalised: true, splits: ['isp', 'peak'], percentiles: 'none', aggregation: 'weekly' }],
  ['plain-value', { splits: ['isp', 'threads'], prefilter: true }],
  ['plain-ratio', { metric: 'packetLoss', aggregation: 'hourly' }],
  ['plain-value-without-percentiles', { percentiles: 'none', aggregation: 'total' }],
  ['normalised-value', { normalised: true, aggregation: 'four_hourly', splits: ['package'] }],
  ['normalised-ratio', { metric: 'dnsFail', normalised: true, aggregation: 'day_of_week' }],
  ['normalised-ratio-without-percentiles', { metric: 'dnsFail', normalised: true, percentiles: 'none' }],
  ['sketched-value', { percentiles: 'sketch', splits: ['base'] }],
  ['sketched-ratio', { metric: 'packetLoss', percentiles: 'sketch', aggregation: 'monthly' }],
  ['sketched-normalised-value', { percentiles: 'sketch', normalised: true, splits: ['isp'] }],
  [
    'relative-to-the-plan',
    {
      relativeTo: 'plan',
      prefilter: true,
      include: ['prefilter', 'coverage'],
      fields: ['metricValue'],
      splits: ['isp'],
    },
  ],
  ['intervals-by-results', { intervals: 'results' }],
  ['value-without-agents', { fields: ['metricValue', 'median'] }],
  ['uncertain-value', { include: ['uncertainty'] }],
  ['uncertain-normalised-ratio', { metric: 'packetLoss', normalised: true, include: ['uncertainty'] }],
  [
    'agents-percentile',
    {
      perAgent: { statistic: 'percentile', level: 20, minimumResults: 5 },
      reaching: { is: 'atLeast', value: 80 },
      include: ['uncertainty'],
      splits: ['isp'],
    },
  ],
  ['agents-normalised-ratio', { metric: 'packetLoss', normalised: true, perAgent: ofMean, percentiles: 'none' }],
  [
    'agents-normalised-trimmed-mean',
    {
      normalised: true,
      perAgent: { statistic: 'trimmedMean', low: 1, high: 99, minimumResults: 1 },
      fields: ['metricValue'],
    },
  ],
  ['histogram-of-a-value', { histogram: { edges: [10, 30, 100] }, percentiles: 'none', splits: ['isp'] }],
  [
    'logarithmic-histogram-of-a-ratio',
    { metric: 'packetLoss', normalised: true, histogram: { bins: 'log' }, fields: ['sampleCount'] },
  ],
  [
    'explained-histogram',
    { prefilter: true, include: ['prefilter'], histogram: { edges: [80] }, fields: ['sampleCount'] },
  ],
  [
    'agents-histogram',
    { perAgent: ofMean, relativeTo: 'plan', histogram: { edges: [80, 95] }, percentileLevels: [2.5, 97.5] },
  ],
  ['empty-months', { aggregation: 'monthly', emptyBuckets: true, fields: ['metricValue'] }],
  [
    'empty-quarters-of-days-in-a-window',
    {
      aggregation: 'six_hourly',
      emptyBuckets: true,
      window: { weekdays: [1, 7], hours: [5, 6, 12] },
      fields: ['metricValue'],
    },
  ],
  [
    'empty-hours-of-the-day-by-weekday',
    { aggregation: 'hour_of_day', emptyBuckets: true, splits: ['day_of_week'], fields: ['metricValue'] },
  ],
  ['named-percentiles', { percentileLevels: [2.5, 97.5, 99.9], include: ['uncertainty'] }],
  ['named-normalised-percentiles', { percentileLevels: [20], normalised: true, fields: ['percentiles'] }],
  ['sketched-normalised-ratio', { metric: 'packetLoss', percentiles: 'sketch', normalised: true }],
  ['compared-with-previous', { compare: previous, prefilter: true, include: ['prefilter'], fields: ['metricValue'] }],
  [
    'compared-with-filters',
    {
      compare: { base: { kind: 'filters', filters: [northnet] }, alpha: 0.05 },
      filters: [{ ...northnet, values: ['Southnet'], ids: [2] }],
      metric: 'packetLoss',
      normalised: true,
      fields: ['metricValue'],
      aggregation: 'total',
    },
  ],
  [
    'compared-with-series-of-matched-agents',
    {
      compare: { base: { kind: 'split', filter: northnet }, alpha: 0.05, match: 'agents' },
      splits: ['threads', 'isp'],
      relativeTo: 'plan',
      fields: ['metricValue'],
    },
  ],
  [
    'compared-agents',
    { compare: { ...previous, match: 'agents' }, perAgent: ofMean, normalised: true, fields: ['metricValue'] },
  ],
]
it.each(goldens)('compiles a %s to the reviewed statement', async (name, asked) => {
  await expect(`${compiled(asked, 100).text}\n`).toMatchFileSnapshot(`golden/${name}.sql`)
})

it('reads the panels of the caller and the two ranges of a comparison, and nothing else', () => {
  const { text } = compiled({ compare: previous })
  expect(tablesRead(text)).toEqual(['httpget'])
  expect(conditionsOf(text).slice(0, 2)).toEqual([
    'panel IN {[3,7]:Array(UInt32)}',
    '((toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date} AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}) OR (toDate(dtime) BETWEEN {"2025-12-01":Date} AND {"2025-12-31":Date} AND local_second BETWEEN {1764547200:Int64} AND {1767225599:Int64}))',
  ])
})

it('counts a result on both sides if both sides have it', () => {
  const range = { from: 1_764_547_200, to: 1_767_225_600 }
  const overlapping = { ...previous, base: { ...previous.base, range } }
  expect(compiled({ compare: overlapping }).text).toContain('arrayJoin([[0], [1], [0, 1]][')
  expect(compiled({ compare: previous }).text).not.toContain('arrayJoin')
})

it('weights no block without normalisation', () => {
  expect(compiled({}).text).not.toMatch(/block|each_/)
  expect(compiled({ percentiles: 'sketch' }).text).not.toMatch(/block|each_/)
})

it('sorts no values if percentiles are sketched or omitted', () => {
  for (const percentiles of ['sketch', 'none'] as const)
    for (const normalised of [false, true])
      expect(compiled({ percentiles, normalised }).text).not.toMatch(/quantiles|tagged|arraySort\(tagged/)
})

/**
 * The tables that the statement reads with FROM. The statement reads dictionaries with functions, which this pattern
 * does not match.
 */
const tablesRead = (text: string): string[] => [...text.matchAll(/FROM bg\.(\w+)/g)].map(([, name = '']) => name)

const scopeAndTime = ({ from, to }: MetricPlan): string[] => [
  'panel IN {[3,7]:Array(UInt32)}',
  'toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}',
  `local_second BETWEEN {${from}:Int64} AND {${to}:Int64}`,
]

/**
 * Returns null if the statement reads only the test's table and its first conditions are scope and time. Otherwise
 * returns what it found.
 */
function strayFrom(asked: Parameters<typeof planOf>[0]): unknown {
  const plan = planOf(asked)
  const text = shown(pointStatement('bg', plan, plan.aggregation ?? aggregationOf('daily'), null).query)
  const found = [tablesRead(text), conditionsOf(text).slice(0, 3)]
  return isDeepStrictEqual(found, [[plan.test.key], scopeAndTime(plan)]) ? null : { asked, found }
}

describe.each(visible.metrics.map((metric) => [metric.key, metric] as const))('%s', (metric, definition) => {
  const splits = visible.dimensions.filter((one) => isAllowedWith(one, definition)).map(({ id }) => id)

  it.each(aggregations.map(({ key }) => key))('by %s has scope and time first, with every split', (aggregation) => {
    const strays = splits.map((split) => strayFrom({ metric, aggregation, splits: [split], percentiles: 'none' }))
    expect(strays.length).toBeGreaterThan(6)
    expect(strays.filter((stray) => stray !== null)).toEqual([])
  })

  it('has scope and time first, however its statistics are computed', () => {
    const variants: Parameters<typeof planOf>[0][] = [false, true].flatMap((normalised) =>
      (['exact', 'sketch', 'none'] as const).map((percentiles) => ({
        metric,
        normalised,
        percentiles,
        prefilter: true,
      })),
    )
    const perAgents = [
      ofMean,
      ...(definition.measure.kind === 'ratio' ? [] : [{ statistic: 'median', minimumResults: 2 } as const]),
    ]
    for (const perAgent of perAgents)
      for (const normalised of [false, true]) variants.push({ metric, normalised, perAgent, prefilter: true })
    expect(variants.map(strayFrom).filter((stray) => stray !== null)).toEqual([])
  })
})
