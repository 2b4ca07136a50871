import { expect, it } from 'vitest'
import { answerOf } from './model/reference.ts'
import type { Answer, MetricRequest } from './model/request.ts'
import { agentOf, asked, smallDataset, type SmallResult } from './small-dataset.ts'

const agents = Object.fromEntries(
  ['Ant', 'Bee', null].map((isp) => [String(isp), agentOf(`of-${isp}`, {}, { isp })] as const),
)
const on = (isp: string, day: string, ...milliseconds: number[]): SmallResult[] =>
  milliseconds.map((value, second) => ({
    agent: agents[isp] ?? agentOf('nobody'),
    at: `2020-06-${day} 10:00:0${second}`,
    jitter_down: value * 1000,
  }))

/** Days 1 and 2 of Ant, day 1 of Bee, days 1 and 3 of the agent without an ISP. */
const dataset = smallDataset('jitter', [
  ...on('Ant', '01', 4, 6),
  ...on('Ant', '02', 1),
  ...on('Bee', '01', 5),
  ...on('null', '01', 1),
  ...on('null', '03', 9, 9, 9),
])

const answer = (request: Partial<MetricRequest>): Answer =>
  answerOf(dataset, asked({ aggregation: 'daily', splits: ['isp'], ...request }))

/** Each series as its ISP and the days of its points. */
const shown = (request: Partial<MetricRequest>): unknown[] =>
  answer(request).data.map(({ metricData }) => [
    metricData[0]?.['isp'],
    ...metricData.map(({ dtime }) => Number(String(dtime).slice(-2))),
  ])

it('keeps the points that meet all conditions, and the series that have one', () => {
  expect(shown({ having: [{ field: 'sampleCount', atLeast: 2 }] })).toEqual([
    ['Ant', 1],
    [null, 3],
  ])
  expect(shown({ having: [{ field: 'sampleCount', above: 2 }] })).toEqual([[null, 3]])
  expect(
    shown({
      having: [
        { field: 'metricValue', atMost: 5 },
        { field: 'metricValue', above: 1 },
      ],
    }),
  ).toEqual([
    ['Ant', 1],
    ['Bee', 1],
  ])
  expect(shown({ having: [{ field: 'percentiles.25', below: 4.5 }] })).toEqual([
    ['Ant', 2],
    [null, 1],
  ])
})

it('drops a point whose number is null, whatever the bound', () => {
  for (const bound of ['atLeast', 'above', 'atMost', 'below'])
    expect(
      answer({ having: [{ field: 'ci95', [bound]: bound.startsWith('a') && bound !== 'atMost' ? -1 : 1e9 }] }),
    ).toEqual({
      data: [{ metricData: [] }],
      meta: { points: { computed: 5, shown: 0 } },
    })
})

it('orders points, and series by their first points; equal points stay by splits and period', () => {
  expect(shown({ order: [{ by: 'sampleCount', direction: 'desc' }] })).toEqual([
    [null, 3, 1],
    ['Ant', 1, 2],
    ['Bee', 1],
  ])
  expect(shown({ order: [{ by: 'metricValue' }] })).toEqual([
    ['Ant', 2, 1],
    [null, 1, 3],
    ['Bee', 1],
  ])
  expect(shown({ order: [{ by: 'dtime', direction: 'desc' }, { by: 'max' }] })).toEqual([
    [null, 3, 1],
    ['Ant', 2, 1],
    ['Bee', 1],
  ])
})

it('puts points without a value last in both directions', () => {
  for (const direction of ['asc', 'desc'] as const) {
    expect(shown({ order: [{ by: 'isp', direction }] }).at(-1)).toEqual([null, 1, 3])
    expect(shown({ order: [{ by: 'ci95', direction }] })).toEqual(shown({}))
  }
})

it('limits what is left after conditions and order, and says how many points there were', () => {
  const { data, meta } = answer({
    having: [{ field: 'sampleCount', below: 3 }],
    order: [{ by: 'metricValue', direction: 'desc' }],
    limit: 2,
  })
  expect(data.map(({ metricData }) => metricData.map(({ metricValue }) => metricValue))).toEqual([[5], [5]])
  expect(meta).toEqual({ points: { computed: 5, shown: 2 } })
  expect(answer({ limit: 9 }).meta).toEqual({ points: { computed: 5, shown: 5 } })
  expect(answer({}).meta).toBeUndefined()
})
