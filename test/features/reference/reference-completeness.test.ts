import { expect, it } from 'vitest'
import type { MetricRequest, Point } from './model/request.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

const [ann, bob] = [agentOf('ann'), agentOf('bob')]

const jitter = (agent: typeof ann, at: string, more: object = {}): SmallResult => ({
  agent,
  at,
  jitter_down: 1000,
  ...more,
})

const points = (test: string, results: SmallResult[], request: Partial<MetricRequest> = {}): Point[] =>
  ask(smallDataset(test, results), { include: ['coverage'], ...request }).flatMap(({ metricData }) => metricData)

/** The named members of the coverage of each point, after the label of the point. */
const covered = (
  test: string,
  results: SmallResult[],
  request: Partial<MetricRequest>,
  ...members: string[]
): unknown[] =>
  points(test, results, request).map(({ dtime, aggregatedNumber, coverage }) => [
    dtime ?? aggregatedNumber ?? 'total',
    ...members.map((member) => (coverage as Point)[member]),
  ])

/** Ann measures from Monday to Wednesday, but not on Tuesday. Bob stops on Tuesday. */
const week = [
  jitter(ann, '2020-06-01 10:00:00', { stored: '2020-06-02 10:00:00' }),
  jitter(ann, '2020-06-01 10:30:00', { stored: '2020-06-02 10:30:00.001' }),
  jitter(ann, '2020-06-03 11:00:00', { stored: '2020-06-03 10:59:00' }),
  jitter(bob, '2020-06-01 09:00:00'),
  jitter(bob, '2020-06-02 23:59:59.999'),
]

it('describes the coverage of three days, as by hand', () => {
  expect(points('jitter', week, { aggregation: 'daily' }).map(({ coverage }) => coverage)).toEqual([
    {
      agentsOfRange: 2,
      agentsSeen: 2,
      agentsGone: 0,
      blocksSeen: 2,
      blocksExpected: 48,
      share: 2 / 48,
      lateShare: 1 / 3,
      newestStored: '2020-06-02T10:30:00.001Z',
    },
    {
      agentsOfRange: 2,
      agentsSeen: 1,
      agentsGone: 0,
      blocksSeen: 1,
      blocksExpected: 48,
      share: 1 / 48,
      lateShare: 0,
      newestStored: '2020-06-02T23:59:59.999Z',
    },
    {
      agentsOfRange: 2,
      agentsSeen: 1,
      agentsGone: 1,
      blocksSeen: 1,
      blocksExpected: 24,
      share: 1 / 24,
      lateShare: 0,
      newestStored: '2020-06-03T10:59:00.000Z',
    },
  ])
})

it('has agents that are gone in periods only', () => {
  const gone = (aggregation: MetricRequest['aggregation']) =>
    covered('jitter', week, aggregation === undefined ? {} : { aggregation }, 'agentsGone')
  expect(gone('total')).toEqual([['total', null]])
  expect(gone('hour_of_day')).toEqual([9, 10, 11, 23].map((hour) => [hour, null]))
  expect(gone('day_of_week')).toEqual([1, 2, 3].map((day) => [day, null]))
  expect(gone('day_of_month')).toEqual([1, 2, 3].map((day) => [day, null]))
  expect(gone('weekly')).toEqual([['2020-06-01', 0]])
  expect(gone('hourly').at(-1)).toEqual(['2020-06-03T11:00:00', 1])
})

it('expects an agent from its first to its last day, in each kind of bucket', () => {
  const counts = (aggregation: MetricRequest['aggregation']) =>
    covered('jitter', week, aggregation === undefined ? {} : { aggregation }, 'blocksSeen', 'blocksExpected')
  // Ann has three days, and Bob has two.
  expect(counts('total')).toEqual([['total', 4, 5 * 24]])
  expect(counts('hour_of_day')).toEqual([
    [9, 1, 5],
    [10, 1, 5],
    [11, 1, 5],
    [23, 1, 5],
  ])
  expect(counts('day_of_week')).toEqual([
    [1, 2, 48],
    [2, 1, 48],
    [3, 1, 24],
  ])
  expect(counts('hourly')).toEqual([
    ['2020-06-01T09:00:00', 1, 2],
    ['2020-06-01T10:00:00', 1, 2],
    ['2020-06-02T23:00:00', 1, 2],
    ['2020-06-03T11:00:00', 1, 1],
  ])
})

it('counts the blocks of a speed test that have an hour in the bucket', () => {
  const results = ['03:00:00', '16:30:00', '17:00:00', '18:10:00'].map((time) => ({
    agent: ann,
    at: `2020-06-01 ${time}`,
    bytes_sec: 1,
  }))
  const counts = (aggregation: MetricRequest['aggregation']) =>
    covered(
      'httpget',
      results,
      { metric: 'httpget', normalised: true, ...(aggregation && { aggregation }) },
      'blocksSeen',
      'blocksExpected',
      'share',
    )
  expect(counts('daily')).toEqual([['2020-06-01', 3, 6, 0.5]])
  // The hours 16 to 19 are in the blocks 12–18 and 18–20.
  expect(counts('four_hourly')).toEqual([
    ['2020-06-01T00:00:00', 1, 1, 1],
    ['2020-06-01T16:00:00', 2, 2, 1],
  ])
  expect(counts('six_hourly').at(-1)).toEqual(['2020-06-01T18:00:00', 1, 3, 1 / 3])
  expect(counts('hour_of_day')).toEqual([3, 16, 17, 18].map((hour) => [hour, 1, 1, 1]))
})

it('expects whole days, also where the range begins or ends inside a day', () => {
  const time = { from: '2020-06-01 10:15', to: '2020-06-03 11:00' }
  expect(covered('jitter', week, { aggregation: 'daily', time }, 'agentsOfRange', 'blocksExpected')).toEqual([
    ['2020-06-01', 2, 24],
    ['2020-06-02', 2, 48],
    ['2020-06-03', 2, 24],
  ])
})

it('uses the local days of each agent', () => {
  const auckland = agentOf('auckland', {}, { zone: 'Pacific/Auckland' })
  // In Auckland, local time is 12 hours ahead, so these are 1 June 23:00 and 2 June 01:00.
  const results = ['2020-06-01 11:00:00', '2020-06-01 13:00:00'].map((at) => jitter(auckland, at))
  expect(covered('jitter', results, { aggregation: 'daily' }, 'blocksSeen', 'blocksExpected')).toEqual([
    ['2020-06-01', 1, 24],
    ['2020-06-02', 1, 24],
  ])
  expect(covered('jitter', results, {}, 'blocksSeen', 'blocksExpected')).toEqual([['total', 2, 48]])
})

it('has 24 blocks also on the days on which the clocks change', () => {
  const london = agentOf('london', {}, { zone: 'Europe/London' })
  const results = ['2020-03-29 12:00:00', '2020-10-25 00:30:00', '2020-10-25 01:30:00'].map((at) => jitter(london, at))
  const days = covered('jitter', results, { aggregation: 'daily' }, 'blocksSeen', 'blocksExpected')
  expect(days).toEqual([
    ['2020-03-29', 1, 24],
    ['2020-10-25', 1, 24],
  ])
})

it('describes each series by itself', () => {
  const mover = agentOf('mover', {}, { isp: 'Ant' }, { day: '2020-06-02', isp: 'Bee' })
  const results = [1, 2, 4].map((day) => jitter(mover, `2020-06-0${day} 10:00:00`))
  const request: Partial<MetricRequest> = { aggregation: 'daily', splits: ['isp'] }
  expect(covered('jitter', results, request, 'agentsOfRange', 'agentsGone', 'blocksExpected')).toEqual([
    ['2020-06-01', 1, 0, 24],
    ['2020-06-02', 1, 0, 24],
    ['2020-06-04', 1, 0, 24],
  ])
  expect(covered('jitter', results, { ...request, aggregation: 'total' }, 'blocksExpected')).toEqual([
    ['total', 24],
    ['total', 72],
  ])
})

it('covers only what the prefilter keeps', () => {
  const results = [
    jitter(ann, '2020-06-01 10:00:00'),
    jitter(ann, '2020-06-02 10:00:00', { jitter_down: -1 }),
    jitter(bob, '2020-06-02 11:00:00', { jitter_down: -1, stored: '2020-06-09 00:00:00' }),
  ]
  const request = { aggregation: 'daily', prefilter: true } as const
  expect(covered('jitter', results, request, 'agentsOfRange', 'blocksExpected')).toEqual([['2020-06-01', 1, 24]])
  const both = points('jitter', results, { ...request, include: ['prefilter', 'coverage'] })
  expect(both.map(({ coverage }) => coverage)).toMatchObject([
    { agentsOfRange: 1, agentsSeen: 1, agentsGone: 0, blocksSeen: 1, blocksExpected: 24 },
    {
      agentsOfRange: 1,
      agentsSeen: 0,
      agentsGone: 1,
      blocksSeen: 0,
      blocksExpected: 0,
      share: null,
      lateShare: null,
      newestStored: null,
    },
  ])
})

it('is in the point also if the request lists fields', () => {
  expect(Object.keys(points('jitter', week, { fields: ['max'] })[0] ?? {})).toEqual(['max', 'coverage'])
  expect(points('jitter', week, { include: [] })[0]).not.toHaveProperty('coverage')
})
