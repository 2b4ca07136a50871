import { expect, it } from 'vitest'
import { histogramOf } from './model/distribution/histogram.ts'
import { percentile, usualLevels, weightedPercentiles } from './model/percentiles.ts'
import { filled, knownPresets } from './model/presets.ts'
import { rightRules } from './model/rules.ts'
import type { MetricRequest } from './model/request.ts'
import { agentOf, ask, smallDataset } from './small-dataset.ts'

const histogram = (values: number[], bins: MetricRequest['histogram'] & object) =>
  histogramOf(values, { histogram: bins }, rightRules).histogram

it('counts values in bins, of which the last contains its end', () => {
  expect(histogram([1, 2, 3, 4, 5, 6], { edges: [2, 4, 5] })).toEqual({
    edges: [2, 4, 5],
    counts: [2, 2],
    below: 1,
    above: 1,
  })
})

it('counts a value that is equal to the only edge as above it', () => {
  expect(histogram([1, 2, 3], { edges: [2] })).toEqual({ edges: [2], counts: [], below: 1, above: 2 })
})

it('has eight bins for each doubling', () => {
  expect(histogram([4, -1, 0, 2, 3.9999], { bins: 'log' })).toMatchObject({
    counts: [1, 0, 0, 0, 0, 0, 0, 1, 1],
    below: 2,
    above: 0,
  })
  expect(histogram([2], { bins: 'log' })).toEqual({ edges: [2, 2 ** 1.125], counts: [1], below: 0, above: 0 })
  expect(histogram([0], { bins: 'log' })).toEqual({ edges: [], counts: [], below: 1, above: 0 })
})

it('has percentiles of any level', () => {
  const values = Array.from({ length: 41 }, (_, index) => index)
  expect([2.5, 97.5, 33.333].map((level) => percentile(values, level))).toEqual([1, 39, 13.3332])
  const pairs = values.map((value) => ({ value, weight: { hours: 1, rows: 41 } }))
  for (const [index, value] of weightedPercentiles(pairs, [2.5, 33.333, 97.5]).entries())
    expect(value).toBeCloseTo([1, 13.3332, 39][index] ?? NaN, 10)
})

it('has exactly the requested levels as keys, and still the median', () => {
  const results = [1, 2, 4].map((value, hour) => ({ at: `2020-06-01 0${hour}:00:00`, jitter_down: value * 1000 }))
  const [group] = ask(smallDataset('jitter', results), { percentileLevels: [97.5, 2.5] })
  expect(group?.metricData[0]).toMatchObject({ median: 2 })
  expect(Object.keys(group?.metricData[0]?.['percentiles'] as object)).toEqual(['2.5', '97.5'])
  expect(usualLevels).toContain(50)
})

it('counts agents if points are about agents', () => {
  const [one, other] = [agentOf('one'), agentOf('other')]
  const results = [
    { agent: one, at: '2020-06-01 00:00:00', jitter_down: 1000 },
    { agent: one, at: '2020-06-01 01:00:00', jitter_down: 9000 },
    { agent: other, at: '2020-06-01 01:00:00', jitter_down: 2000 },
  ]
  const request = { histogram: { edges: [3] }, perAgent: { statistic: 'mean' } } as const
  const [group] = ask(smallDataset('jitter', results), { ...request, histogram: { edges: [3] } })
  expect(group?.metricData[0]?.['histogram']).toEqual({ edges: [3], counts: [], below: 1, above: 1 })
})

it('fills the fields of a preset that the request does not have', () => {
  const request = { metric: 'httpget', preset: 'accc.underperforming', reaching: { below: 9 } } as MetricRequest
  expect(filled(request)).toEqual({
    ...request,
    relativeTo: 'plan',
    perAgent: { statistic: 'share', atLeast: 75, minimumResults: 20 },
  })
  expect(filled({ ...request, agent_agg: true }).perAgent).toBeUndefined()
  expect(knownPresets).toHaveLength(7)
})
