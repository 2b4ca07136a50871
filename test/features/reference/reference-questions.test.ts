import { expect, it } from 'vitest'
import { answerOf } from './model/reference.ts'
import type { Answer, Data, MetricRequest } from './model/request.ts'
import { rightRules } from './model/rules.ts'
import type { Top } from './model/splits/top.ts'
import { agentOf, asked, smallDataset, type SmallResult } from './small-dataset.ts'

const of = (isp: string, id = isp) => agentOf(id, {}, { isp })
const [ant, bee, cow, mover] = [of('Ant'), of('Bee'), of('Cow'), of('Ant', 'mover')]
const on = (agent: typeof ant, day: string, ...milliseconds: number[]): SmallResult[] =>
  milliseconds.map((value, second) => ({
    agent,
    at: `2020-06-${day} 10:00:0${second}`,
    jitter_down: value * 1000,
    jitter_up: (20 - value) * 1000,
  }))

const dataset = smallDataset('jitter', [
  ...on(ant, '01', 10),
  ...on(ant, '03', 1, 1, 1),
  ...on(bee, '01', 4),
  ...on(bee, '03', 6),
  ...on(cow, '02', 3, 3),
  ...on(mover, '01', 2),
])

const answer = (request: Partial<MetricRequest>, rules = rightRules): Answer =>
  answerOf(
    dataset,
    asked({ aggregation: 'daily', splits: ['isp'], time: { from: '2020-06-01', to: '2020-06-04' }, ...request }),
    rules,
  )

const text = (cell: unknown): string => (typeof cell === 'string' || typeof cell === 'number' ? `${cell}` : '')

/** The labels of each point, with its value and its number of results. */
const short = (data: Data | undefined): string[][] =>
  (data ?? []).map(({ metricData }) =>
    metricData.map(({ isp, other, metric, dtime, metricValue, sampleCount }) =>
      [other === true ? 'other' : isp, metric, dtime, metricValue, sampleCount]
        .filter((cell) => cell !== undefined)
        .map((cell) => text(cell).replace('2020-06-', ''))
        .join(' '),
    ),
  )

it('has a point for every period of the range in every series', () => {
  expect(short(answer({ emptyBuckets: true }).data)).toEqual([
    ['Ant 01 6 2', 'Ant 02  0', 'Ant 03 1 3', 'Ant 04  0'],
    ['Bee 01 4 1', 'Bee 02  0', 'Bee 03 6 1', 'Bee 04  0'],
    ['Cow 01  0', 'Cow 02 3 2', 'Cow 03  0', 'Cow 04  0'],
  ])
  const [, empty] = answer({ emptyBuckets: true, splits: [] }).data[0]?.metricData.slice(2) ?? []
  expect(empty).toMatchObject({ sampleCount: 0, agentCount: 0, metricValue: null, ci95: null, percentiles: null })
  expect(short(answer({ emptyBuckets: true, splits: [], aggregation: 'day_of_week' }).data)[0]).toHaveLength(4)
})

it('has no point for periods that the window leaves out, and counts of 0 in the others', () => {
  // 1 June 2020 is a Monday.
  const days = (request: Partial<MetricRequest>) => short(answer({ emptyBuckets: true, ...request }).data)
  expect(days({ window: { weekdays: [1, 2] } })).toEqual([
    ['Ant 01 6 2', 'Ant 02  0'],
    ['Bee 01 4 1', 'Bee 02  0'],
    ['Cow 01  0', 'Cow 02 3 2'],
  ])
  expect(days({ window: { hours: [10] }, time: { from: '2020-06-01', to: '2020-06-04 09:59' } })[0]).toHaveLength(3)
  expect(days({ splits: ['day_of_week'], aggregation: 'daily' })).toEqual([
    ['01 5.333333333333333 3'],
    ['02 3 2'],
    ['03 2.25 4'],
  ])
  const [, empty] =
    answer({ emptyBuckets: true, include: ['prefilter', 'coverage'], prefilter: true, histogram: { edges: [1, 2] } })
      .data[0]?.metricData ?? []
  expect(empty).toMatchObject({
    sampleCount: 0,
    histogram: { counts: [0], below: 0, above: 0 },
    prefilter: { before: 0, unfilteredValue: null },
    coverage: { agentsOfRange: 2, blocksSeen: 0, blocksExpected: 24, share: 0, newestStored: null },
  })
})

it('has totals that are the request without splits, over the whole range, and both', () => {
  const { meta, data } = answer({ totals: true, limit: 1 })
  expect(short(data)).toEqual([['Ant 01 6 2']])
  expect(meta?.totals).toEqual(answer({ splits: [] }).data)
  expect(meta?.overall).toEqual(answer({ aggregation: 'total' }).data)
  expect(meta?.grand).toEqual(answer({ splits: [], aggregation: 'total' }).data)
  expect(meta?.points).toEqual({ computed: 5, shown: 1 })
})

it('ranks combinations over the whole range, keeps their periods, and pools the others', () => {
  // Over the whole range, Ant has the mean 3, Bee 5 and Cow 3.
  const top = (given: Top, request: Partial<MetricRequest> = {}, rules = rightRules) =>
    short(answer({ top: given, ...request }, rules).data)
  expect(top({ n: 1, others: false })).toEqual([['Bee 01 4 1', 'Bee 03 6 1']])
  expect(top({ n: 1, by: 'sampleCount' })).toEqual([
    ['Ant 01 6 2', 'Ant 03 1 3'],
    ['other 01 4 1', 'other 02 3 2', 'other 03 6 1'],
  ])
  const total = { aggregation: 'total' } as const
  expect(top({ n: 2 }, total)).toEqual([['Bee 5 2'], ['Ant 3 5'], ['other 3 2']])
  expect(top({ n: 2, direction: 'asc' }, total)).toEqual([['Ant 3 5'], ['Cow 3 2'], ['other 5 2']])
  expect(top({ n: 3 }, total)).toEqual([['Bee 5 2'], ['Ant 3 5'], ['Cow 3 2']])
  const bySum = { ...rightRules, topBy: 'the sum of the points' } as const
  expect(top({ n: 1, by: 'max', others: false }, { aggregation: 'daily' }, bySum)).toEqual([
    ['Ant 01 6 2', 'Ant 03 1 3'],
  ])
})

it('compares the others with the base of the others', () => {
  const compare = { time: { from: '2020-05-29', to: '2020-06-01' } }
  const points = answer({
    top: { n: 1 },
    aggregation: 'total',
    time: { from: '2020-06-02', to: '2020-06-05' },
    compare,
  })
  // Bee has the largest mean. On 1 June, the mean of the others is 6, and afterwards 1.8.
  expect(points.data.map(({ metricData: [point] }) => point)).toMatchObject([
    { isp: 'Bee', metricValue: 6, comparison: { base: 4 } },
    { other: true, isp: null, metricValue: 1.8, comparison: { base: 6, difference: -4.2 } },
  ])
})

it('has a series for each metric and combination', () => {
  const metrics = ['jitterUp', 'jitterDown']
  expect(short(answer({ metrics, aggregation: 'total' }).data)).toEqual([
    ['Ant jitterUp 17 5'],
    ['Bee jitterUp 15 2'],
    ['Cow jitterUp 17 2'],
    ['Ant jitterDown 3 5'],
    ['Bee jitterDown 5 2'],
    ['Cow jitterDown 3 2'],
  ])
  expect(short(answer({ metrics, totals: true, splits: [] }).meta?.grand)).toEqual([
    [`jitterUp ${149 / 9} 9`],
    [`jitterDown ${31 / 9} 9`],
  ])
})

it('ranks the series of each metric, also in `overall`; `totals` and `grand` ignore the top', () => {
  const several = (request: Partial<MetricRequest>, rules = rightRules) =>
    answer({ metrics: ['jitterUp', 'jitterDown'], ...request }, rules)
  const top = { n: 1 }
  const total = { aggregation: 'total', top } as const
  expect(short(several(total).data)).toEqual([
    ['Ant jitterUp 17 5'],
    ['other jitterUp 16 4'],
    ['Bee jitterDown 5 2'],
    ['other jitterDown 3 7'],
  ])
  const [, , first] = short(several(total, { ...rightRules, topOf: 'the first metric' }).data)
  expect(first).toEqual(['Ant jitterDown 3 5'])
  const { meta } = several({ top, totals: true })
  expect(meta?.overall).toEqual(several(total).data)
  expect(meta?.totals).toEqual(several({ splits: [] }).data)
  expect(meta?.grand).toEqual(several({ splits: [], aggregation: 'total' }).data)
})

it('selects among the points of the top of all metrics together', () => {
  const request = { metrics: ['jitterUp', 'jitterDown'], top: { n: 1 } }
  const { data, meta } = answer({ ...request, order: [{ by: 'sampleCount', direction: 'desc' }], limit: 2 })
  expect(short(data)).toEqual([['Ant jitterUp 03 19 3'], ['other jitterDown 03 1 3']])
  expect(meta?.points).toEqual({ computed: 10, shown: 2 })
})
