import { describe, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { orderChoices, pointNumbers } from '../../../src/check/metric/point-numbers.ts'
import { pointStatement } from '../../../src/compile/metric/aggregate.ts'
import { percentileKeys } from '../../../src/compile/metric/distribution/percentile-levels.ts'
import { withComparisons } from '../../../src/envelope/comparison.ts'
import { withExactIntervals } from '../../../src/envelope/exact-intervals.ts'
import { metricSeries } from '../../../src/envelope/metric-points.ts'
import { selectedPoints } from '../../../src/envelope/selected-points.ts'
import { aggregationOf, planOf } from '../plans.ts'

type Asked = NonNullable<Parameters<typeof planOf>[0]>

const requests: readonly Asked[] = [
  {},
  { splits: ['isp', 'base'], percentileLevels: [2.5, 97.5] },
  { percentiles: 'none', fields: ['sampleCount', 'ci95'] },
  { include: ['uncertainty', 'prefilter', 'coverage'], prefilter: true },
  { relativeTo: 'plan', include: ['meta'] },
  { perAgent: { statistic: 'mean', minimumResults: 1 }, reaching: { is: 'atLeast', value: 80 } },
  { perAgent: { statistic: 'median', minimumResults: 5 }, include: ['uncertainty'], percentileLevels: [20] },
]

/** Lists of a point, and members that are texts. */
const noNumbers = new Set(['percentileIntervals', 'caution', 'partial', 'prefilter.rules', 'coverage.newestStored'])

/** The names of all members of the points that a plan returns, as `having` names them. */
async function membersOf(asked: Asked): Promise<string[]> {
  const plan = planOf(asked)
  const { columns } = pointStatement('db', plan, plan.aggregation ?? aggregationOf('daily'), 10)
  const levels = percentileKeys(plan)
  const isList = (name: string) => name === 'percentiles' || name === 'percentileIntervals'
  const row = columns.map((name) => (isList(name) ? levels.map(() => 1) : name === 'exactValues' ? [] : 1))
  // A point without agents has no exact intervals; their members are there, with null.
  const exact = columns.indexOf('exactAgents')
  const found = await withExactIntervals(
    { columns, rows: [row.map((value, index) => (index === exact ? 0 : value))] },
    levels,
  )
  const point = metricSeries([], found.columns, found.rows, levels)[0]?.metricData[0] ?? {}
  const flat = Object.entries(point).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((inner) => `${name}.${inner}`)
      : [name],
  )
  return flat.filter((name) => !noNumbers.has(name) && !name.startsWith('percentileIntervals'))
}

describe.each(requests)('points of %j', (asked) => {
  it('have the numbers that a request can select by, and no others', async () => {
    const plan = planOf(asked)
    const members = (await membersOf(asked)).filter((name) => !/^(shown.split\d|dtime|aggregatedNumber)$/.test(name))
    expect(members.toSorted()).toEqual(pointNumbers(plan).toSorted())
  })

  it('have a column for everything that they can be ordered by', () => {
    for (const aggregation of aggregations) {
      const plan = planOf({ ...asked, aggregation: aggregation.key })
      const { columns } = pointStatement('db', plan, aggregation, 10)
      const shown = columns.map((name) => (name === 'exactAgents' ? 'reachingShare' : name))
      const points = { columns: [...shown, 'reachingLow', 'reachingHigh'], rows: [] }
      for (const by of orderChoices(plan)) {
        expect(
          () =>
            selectedPoints({ splits: plan.splits, order: [{ by, direction: 'asc' }] }, points, percentileKeys(plan)),
          by,
        ).not.toThrow()
      }
    }
  })
})

it('names the numbers of a comparison', async () => {
  const numbers = Array.from({ length: 12 }, () => 5)
  const compare = { alpha: 0.05 }
  const { rows } = await withComparisons(
    { metric: planOf().metric, compare },
    { columns: ['compared'], rows: [[numbers]] },
  )
  const { verdict: _, better: __, ...rest } = Object(rows[0]?.[0]) as Record<string, unknown>
  expect(pointNumbers({ ...planOf(), compare }).filter((name) => name.startsWith('comparison.'))).toEqual(
    Object.keys(rest).map((name) => `comparison.${name}`),
  )
})
