import { expect, it } from 'vitest'
import { rollDice } from '../../faults/dice.ts'
import type { Inclusion, MetricRequest, Point } from './model/request.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

const [ann, bob, cat] = [agentOf('ann'), agentOf('bob'), agentOf('cat')]

const megabit = 125_000
const download = (agent: typeof ann, at: string, mbps: number, more: object = {}): SmallResult => ({
  agent,
  at: `2020-06-01 ${at}`,
  bytes_sec: mbps * megabit,
  warmup_time: 1,
  ...more,
})

const include: Inclusion[] = ['prefilter']
const explained: Partial<MetricRequest> = { metric: 'httpget', prefilter: true, include }

const points = (test: string, results: SmallResult[], request: Partial<MetricRequest> = {}): Point[] =>
  ask(smallDataset(test, results), { ...explained, ...request }).flatMap(({ metricData }) => metricData)

/** Ann loses one of two results to two rules. Bob loses his only result. Cat loses none. */
const downloads = [
  download(ann, '10:00:00', 100),
  download(ann, '10:10:00', 0, { warmup_time: null }),
  download(bob, '10:20:00', 20_000),
  download(cat, '10:30:00', 60),
]

it('counts what each rule excludes, as by hand', () => {
  const [point] = points('httpget', downloads)
  expect(point).toMatchObject({ metricValue: 80, sampleCount: 2, agentCount: 2, min: 60 })
  expect(point?.['prefilter']).toEqual({
    before: 4,
    removed: 2,
    unfilteredValue: (100 + 0 + 20_000 + 60) / 4,
    agentsLost: 1,
    rules: [
      { name: 'no-throughput', version: 1, matched: 1, alone: 0 },
      { name: 'above-10-gigabit', version: 1, matched: 1, alone: 1 },
      { name: 'no-warm-up', version: 1, matched: 1, alone: 0 },
    ],
  })
})

it('says nothing about the prefilter unless it is asked to', () => {
  expect(points('httpget', downloads, { include: [] })[0]).not.toHaveProperty('prefilter')
  expect(points('httpget', downloads, { include: ['uncertainty'] })[0]).not.toHaveProperty('prefilter')
  const [point] = points('httpget', downloads, { fields: ['max'] })
  expect(Object.keys(point ?? {})).toEqual(['max', 'prefilter'])
})

it('counts only results that have a value', () => {
  const results = [
    download(ann, '10:00:00', 100),
    download(ann, '10:10:00', 0, { successes: 0, failures: 1 }),
    download(bob, '10:20:00', 0, { bytes_sec: null, warmup_time: null }),
  ]
  expect(points('httpget', results)[0]?.['prefilter']).toMatchObject({ before: 1, removed: 0, agentsLost: 0 })
})

it('weights the value without the prefilter by all results', () => {
  // The block 00–06 has one result, which is kept. The block 18–20 has a kept and an excluded result.
  const results = [
    download(ann, '03:00:00', 100),
    download(ann, '18:10:00', 10),
    download(bob, '19:50:00', 20, { warmup_time: 0 }),
  ]
  const [point] = points('httpget', results, { normalised: true })
  expect(point).toMatchObject({
    metricValue: (6 * 100 + 2 * 10) / 8,
    prefilter: { unfilteredValue: (6 * 100 + 1 * 10 + 1 * 20) / 8 },
  })
})

it('computes a ratio without the prefilter from the sums', () => {
  const packets = { rtt_min: 1000, rtt_max: 1000 }
  const results = [
    { agent: ann, at: '2020-06-01 10:00:00', ...packets, successes: 9, failures: 1 },
    { agent: ann, at: '2020-06-01 11:00:00', ...packets, rtt_min: 499, successes: 86, failures: 4 },
  ]
  // The rules that read losses do not apply to losses.
  expect(points('latency', results, { metric: 'packetLoss' })[0]).toMatchObject({
    metricValue: 10,
    prefilter: {
      before: 2,
      unfilteredValue: 5,
      agentsLost: 0,
      rules: [
        { name: 'below-half-a-millisecond', matched: 1, alone: 1 },
        { name: 'spread-above-300-milliseconds', matched: 0, alone: 0 },
      ],
    },
  })
})

it('has a point without statistics where every result is excluded', () => {
  const results = [...downloads, download(bob, '11:00:00', 0), download(bob, '11:30:00', 0)]
  const request = { aggregation: 'hourly', time: { from: '2020-06-01 10:00', to: '2020-06-01 11:30' } } as const
  const [whole, emptied] = points('httpget', results, { ...request, include: ['prefilter', 'uncertainty'] })
  expect(whole).toMatchObject({ dtime: '2020-06-01T10:00:00', sampleCount: 2 })
  const { prefilter, ...others } = JSON.parse(JSON.stringify(emptied)) as Point
  expect(others).toEqual({
    dtime: '2020-06-01T11:00:00',
    partial: true,
    sampleCount: 0,
    agentCount: 0,
    unitCount: 0,
    ...nulls('metricValue', 'stdDev', 'ci90', 'ci95', 'ci99', 'min', 'max', 'median', 'percentiles'),
    ...nulls('standardError', 'effectiveAgents', 'degreesOfFreedom', 'largestAgentShare'),
    ...nulls('designEffect', 'effectiveSampleSize', 'percentileIntervals'),
  })
  expect(prefilter).toMatchObject({ before: 2, removed: 2, unfilteredValue: 0, agentsLost: 1 })
  expect(points('httpget', results, { ...request, include: [] })).toHaveLength(1)
  const [, some] = points('httpget', results, { ...request, fields: ['max'], percentiles: 'none' })
  expect(Object.keys(some ?? {}).toSorted()).toEqual(['dtime', 'max', 'partial', 'prefilter'])
})

const nulls = (...names: string[]): Point => Object.fromEntries(names.map((name) => [name, null]))

it('has a group whose results are all excluded', () => {
  const request = { splits: ['agent'], metric: 'httpget' }
  expect(points('httpget', downloads, request).map(({ agent, sampleCount }) => [agent, sampleCount])).toEqual([
    ['ann', 1],
    ['bob', 0],
    ['cat', 1],
  ])
})

it('lists no rules for a metric without rules', () => {
  const [point] = points('dns', [{ at: '2020-06-01 10:00:00' }], { metric: 'dnsFail' })
  expect(point?.['prefilter']).toEqual({ before: 1, removed: 0, unfilteredValue: 0, agentsLost: 0, rules: [] })
})

it('lists the version of each rule', () => {
  const [point] = points('netflix', [{ at: '2020-06-01 10:00:00', bitrate: 1 }], { metric: 'netflixBitrate' })
  expect(point?.['prefilter']).toMatchObject({
    rules: [
      { name: 'ended-by-an-error', version: 2 },
      { name: 'prebuffering-above-10-seconds', version: 1 },
    ],
  })
})

it('names the rules that match each raw point', () => {
  const raw = (more: Partial<MetricRequest>) =>
    points('httpget', downloads, { chartType: 'raw', ...more }).map(({ agent, removedBy }) => [agent, removedBy])
  expect(raw({})).toEqual([
    ['ann', []],
    ['ann', ['no-throughput', 'no-warm-up']],
    ['bob', ['above-10-gigabit']],
    ['cat', []],
  ])
  expect(raw({ include: [] })).toEqual([
    ['ann', undefined],
    ['cat', undefined],
  ])
})

it('agrees with the requests without and with the prefilter, and keeps to the bounds of its counts', () => {
  const dice = rollDice(3)
  const results = Array.from({ length: 300 }, (_, index) => {
    const at = `${String(dice.between(0, 23)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}:00`
    const warmup = { warmup_time: dice.pick([null, 0, 1, 1]) }
    return download(dice.pick([ann, bob, cat]), at, dice.pick([0, 5, 50, 500, 20_000]), warmup)
  })
  const request: Partial<MetricRequest> = { aggregation: 'hourly', normalised: true, splits: ['agent'] }
  const unfiltered = points('httpget', results, { ...request, prefilter: false, include: [] })
  const filtered = points('httpget', results, { ...request, include: [] })
  const all = points('httpget', results, request)
  expect(all).toHaveLength(unfiltered.length)
  const kept = all.filter(({ sampleCount }) => sampleCount !== 0)
  expect(kept.map(withoutEffect)).toEqual(filtered.map(withoutEffect))
  for (const [index, { prefilter, sampleCount }] of all.entries()) {
    const effect = prefilter as Record<'before' | 'removed' | 'unfilteredValue', number> & { rules: Counts[] }
    expect(effect.before).toBe(unfiltered[index]?.['sampleCount'])
    expect(effect.unfilteredValue).toBe(unfiltered[index]?.['metricValue'])
    expect(effect.removed).toBe(effect.before - Number(sampleCount))
    expect(Math.max(...effect.rules.map(({ matched }) => matched))).toBeLessThanOrEqual(effect.removed)
    expect(sum(effect.rules.map(({ matched }) => matched))).toBeGreaterThanOrEqual(effect.removed)
    expect(sum(effect.rules.map(({ alone }) => alone))).toBeLessThanOrEqual(effect.removed)
  }
})

/** The point as JSON, without the scales. */
const withoutEffect = (point: Point): unknown => JSON.parse(JSON.stringify({ ...point, prefilter: undefined }))

type Counts = { matched: number; alone: number }

const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)
