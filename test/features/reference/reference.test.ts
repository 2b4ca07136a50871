import { expect, it } from 'vitest'
import { percentile, usualLevels, weightedPercentiles } from './model/percentiles.ts'
import type { MetricRequest, Point } from './model/request.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

const jitters = (...milliseconds: number[]): SmallResult[] =>
  milliseconds.map((value, index) => ({ at: `2020-06-01 10:00:0${index}`, jitter_down: value * 1000 }))

const points = (test: string, results: SmallResult[], request: Partial<MetricRequest>): Point[] =>
  ask(smallDataset(test, results), request).flatMap(({ metricData }) => metricData)

const counts = (test: string, results: SmallResult[], request: Partial<MetricRequest>): unknown[] =>
  points(test, results, request).map((point) => [point['dtime'] ?? point['aggregatedNumber'], point['sampleCount']])

it('describes a handful of values as a textbook does', () => {
  const [point] = points('jitter', jitters(9, 2, 4, 5, 4, 7, 4, 5), { intervals: 'results' })
  expect(point).toMatchObject({
    metricValue: 5,
    stdDev: 2,
    sampleCount: 8,
    agentCount: 1,
    unitCount: 1,
    min: 2,
    max: 9,
    median: 4.5,
  })
  const percentiles = new Map(Object.entries(point?.['percentiles'] ?? {}))
  expect(['1', '25', '75', '90'].map((key) => percentiles.get(key)?.toFixed(9))).toEqual(
    [2.14, 4, 5.5, 7.6].map((value) => value.toFixed(9)),
  )
  expect(percentiles.size).toBe(11)
  expect(point?.['ci90']).toBeCloseTo((1.6448536269514722 * 2) / Math.sqrt(8), 14)
  expect(point?.['ci95']).toBeCloseTo((1.959963984540054 * 2) / Math.sqrt(8), 14)
  expect(point?.['ci99']).toBeCloseTo((2.5758293035489004 * 2) / Math.sqrt(8), 14)
  expect(point).not.toHaveProperty('dtime')
  expect(point).not.toHaveProperty('aggregatedNumber')
})

it('has no interval for a single sample, and its value for all other statistics', () => {
  expect(points('jitter', jitters(7), {})).toMatchObject([
    { metricValue: 7, stdDev: 0, ci90: null, ci95: null, ci99: null, min: 7, max: 7, median: 7, sampleCount: 1 },
  ])
})

it('keeps the deviation of values near 1e9 that differ by one', () => {
  const [point] = points('jitter', jitters(1e9, 1e9 + 1, 1e9 + 2), {})
  expect(point?.['stdDev']).toBeCloseTo(0.816496580927726, 14)
})

it('computes a ratio of sums, and deviation and percentiles of the ratios', () => {
  const rows = [
    { at: '2020-06-01 10:00:00', successes: 9, failures: 1 },
    { at: '2020-06-01 10:00:01', successes: 90, failures: 0 },
    { at: '2020-06-01 10:00:02', successes: 0, failures: 0 },
  ]
  const [point] = points('latency', rows, { metric: 'packetLoss', intervals: 'results' })
  expect(point).toMatchObject({ metricValue: 1, stdDev: 5, min: 0, max: 10, median: 5, sampleCount: 2 })
  // The ratio R is 0.01. The residuals are 1 − 0.1 = 0.9 and 0 − 0.9 = −0.9, divided by 100 packets.
  expect(point?.['ci95']).toBeCloseTo(1.959963984540054 * Math.sqrt(2 * 0.81), 12)
})

it('weights blocks by their hours, as computed by hand', () => {
  const rows = [
    { at: '2020-06-01 03:00:00', bytes_sec: 12_500_000 }, // 100 Mbit/s, the only result in the block 00–06: weight 6
    { at: '2020-06-01 18:10:00', bytes_sec: 1_250_000 }, // 10 Mbit/s, one of two results in the block 18–20: weight 1
    { at: '2020-06-01 19:50:00', bytes_sec: 2_500_000 }, // 20 Mbit/s: weight 1
  ]
  const request = { metric: 'httpget', aggregation: 'daily', normalised: true, intervals: 'results' } as const
  const [point] = points('httpget', rows, request)
  expect(point).toMatchObject({ metricValue: 630 / 8, min: 10, max: 100, sampleCount: 3, dtime: '2020-06-01' })
  const deviation = Math.sqrt((6 * 21.25 ** 2 + 68.75 ** 2 + 58.75 ** 2) / 8)
  expect(point?.['stdDev']).toBeCloseTo(deviation, 12)
  // n* = 8² / (6² + 1 + 1). For the median, a = (n* − 1)/2n* = 0.203125, F(2/8) = 3/38 and F(1) = 1.
  expect(point?.['ci95']).toBeCloseTo((1.959963984540054 * deviation) / Math.sqrt(64 / 38), 12)
  expect(point?.['median']).toBeCloseTo((20 * 3 + 100 * 35) / 38, 12)
})

it('counts only the hours of a block that are inside the bucket', () => {
  const rows = [
    { at: '2020-06-01 16:30:00', bytes_sec: 1_250_000 }, // two hours of the block 12–18 are in the bucket 16–20
    { at: '2020-06-01 18:10:00', bytes_sec: 2_500_000 }, // two hours of the block 18–20, which has two rows
    { at: '2020-06-02 19:50:00', bytes_sec: 5_000_000 }, // another day, so another bucket
    { at: '2020-06-01 19:50:00', bytes_sec: 5_000_000 },
  ]
  const [point] = points('httpget', rows, { metric: 'httpget', aggregation: 'four_hourly', normalised: true })
  expect(point).toMatchObject({ dtime: '2020-06-01T16:00:00', metricValue: (2 * 10 + 20 + 40) / 4, sampleCount: 3 })
  // With the aggregation by hour of day, a bucket has one hour. So every row in a bucket has the same weight.
  const hours = points('httpget', rows, { metric: 'httpget', aggregation: 'hour_of_day', normalised: true })
  expect(hours.map(({ aggregatedNumber, metricValue }) => [aggregatedNumber, metricValue])).toEqual([
    [16, 10],
    [18, 20],
    [19, 40],
  ])
})

it('weights the parts of a ratio too', () => {
  const rows = [
    { at: '2020-06-01 03:00:00', successes: 9, failures: 1 },
    { at: '2020-06-01 04:10:00', successes: 10, failures: 0 },
    { at: '2020-06-01 04:50:00', successes: 6, failures: 4 },
  ]
  const request = { metric: 'dnsFail', aggregation: 'daily', normalised: true, intervals: 'results' } as const
  const [point] = points('dns', rows, request)
  // The weights are 1, 1/2 and 1/2. R = (1 + 0 + 2) / (10 + 5 + 5) = 0.15. The residuals are −0.5, −1.5 and 2.5.
  expect(point?.['metricValue']).toBeCloseTo(15, 12)
  expect(point?.['ci95']).toBeCloseTo(1.959963984540054 * 100 * (Math.sqrt(0.25 + 0.75 ** 2 + 1.25 ** 2) / 20), 12)
})

it('gives type 7 for equal weights, with any ties', () => {
  for (const count of [1, 2, 3, 10, 101, 500]) {
    const values = Array.from({ length: count }, (_, index) => (index * 7919) % 53)
    const sorted = values.toSorted((one, other) => one - other)
    const weighted = weightedPercentiles(
      values.map((value) => ({ value, weight: { hours: 6, rows: count } })),
      usualLevels,
    )
    for (const [index, key] of usualLevels.entries()) expect(weighted[index]).toBeCloseTo(percentile(sorted, key), 12)
  }
})

it('gives the weighted percentiles that a direct evaluation of the definition gives', () => {
  const rows = [3, 1, 7, 2]
  const pairs = rows.flatMap((count, block) =>
    Array.from({ length: count }, (_, index) => ({
      value: ((index * 31 + block * 17) % 11) - 2,
      weight: { hours: block + 1, rows: count },
    })),
  )
  const ascending = pairs.toSorted((one, other) => one.value - other.value)
  const weights = ascending.map(({ weight }) => weight.hours / weight.rows)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const effective = total ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0)
  const byDefinition = usualLevels.map((key) => {
    const start = ((effective - 1) * (key / 100)) / effective
    const reached = (place: number): number => {
      const share = weights.slice(0, place).reduce((sum, weight) => sum + weight, 0) / total
      return Math.min(1, Math.max(0, (share - start) * effective))
    }
    return ascending.reduce((sum, { value }, index) => sum + value * (reached(index + 1) - reached(index)), 0)
  })
  for (const [index, value] of weightedPercentiles(pairs, usualLevels).entries())
    expect(value).toBeCloseTo(byDefinition[index] ?? NaN, 12)
})

const london = agentOf('london', {}, { zone: 'Europe/London' })
const samples = (...times: string[]): SmallResult[] => times.map((at) => ({ agent: london, at, jitter_down: 1000 }))

it("makes one point of autumn's repeated hour, and none of spring's skipped hour", () => {
  const autumn = samples('2020-10-25 00:30:00', '2020-10-25 01:30:00', '2020-10-25 02:00:00')
  expect(counts('jitter', autumn, { aggregation: 'hourly' })).toEqual([
    ['2020-10-25T01:00:00', 2],
    ['2020-10-25T02:00:00', 1],
  ])
  const spring = samples('2020-03-29 00:59:59.999', '2020-03-29 01:00:00')
  expect(counts('jitter', spring, { aggregation: 'hourly' })).toEqual([
    ['2020-03-29T00:00:00', 1],
    ['2020-03-29T02:00:00', 1],
  ])
})

it('labels every kind of bucket by its start', () => {
  const rows = samples('2021-01-03 23:59:59', '2021-01-04 00:00:00', '2020-12-31 23:00:00')
  const labels = (aggregation: MetricRequest['aggregation']) =>
    counts('jitter', rows, aggregation === undefined ? {} : { aggregation })
  // Week 53 is 28 December 2020 to 3 January 2021.
  expect(labels('weekly')).toEqual([
    ['2020-12-28', 2],
    ['2021-01-04', 1],
  ])
  expect(labels('six_hourly')).toEqual([
    ['2020-12-31T18:00:00', 1],
    ['2021-01-03T18:00:00', 1],
    ['2021-01-04T00:00:00', 1],
  ])
  expect(labels('monthly')).toEqual([
    ['2020-12-01', 1],
    ['2021-01-01', 2],
  ])
  expect(labels('quarterly')).toEqual([
    ['2020-10-01', 1],
    ['2021-01-01', 2],
  ])
  expect(labels('day_of_week')).toEqual([
    [1, 1],
    [4, 1],
    [7, 1],
  ])
  expect(labels('day_of_month')).toEqual([
    [3, 1],
    [4, 1],
    [31, 1],
  ])
  expect(labels('hour_of_day')).toEqual([
    [0, 1],
    [23, 2],
  ])
  expect(labels('two_hourly').at(1)).toEqual(['2021-01-03T22:00:00', 1])
  expect(labels('daily').at(2)).toEqual(['2021-01-04', 1])
})

it('includes both ends at whole seconds of local time', () => {
  // In British Summer Time, local time is one hour ahead of UTC.
  const rows = samples(
    '2020-06-01 10:59:59.999',
    '2020-06-01 11:00:00',
    '2020-06-01 12:00:00.700',
    '2020-06-01 12:00:01',
  )
  const between = (from: string, to: string) => counts('jitter', rows, { time: { from, to } })
  expect(between('2020-06-01 12:00', '2020-06-01 13:00')).toEqual([[undefined, 2]])
  expect(between('2020-06-01 11:59:59', '2020-06-01 13:00:01')).toEqual([[undefined, 4]])
  expect(between('2020-06-01 13:00:02', 'now')).toEqual([])
  expect(between('-1434 days', '+1 days')).toEqual([])
  // `now` is 6 May 2024, 07:08:09. 1436 days before it is 31 May 2020, and 1435 days before it is 1 June 2020, both at
  // 07:08:09.
  expect(between('-1436 days', '-1435 days')).toEqual([])
  expect(between('-1435 days', '-1434 days')).toEqual([[undefined, 4]])
})

it('divides each speed by that of its package on its day, and counts results without one', () => {
  const home = agentOf('home', {}, { isp: 'Acme', package: 'Fast' }, { day: '2020-06-05', isp: 'Acme' })
  const day = (date: string): number => Date.parse(date) / 86_400_000
  const imports = [
    { fromDay: day('2020-06-03'), download: 80_000_000, upload: null }, // the first speeds: from the beginning on
    { fromDay: day('2020-06-03'), download: 160_000_000, upload: null },
    { fromDay: day('2020-06-02'), download: 30_000_000, upload: null }, // a correction, also over the day before
  ]
  const at = (date: string) => ({ agent: home, at: `2020-06-${date} 12:00:00`, bytes_sec: 2_500_000 }) // 20 Mbit/s
  const dataset = smallDataset('httpget', ['01', '02', '03', '06'].map(at))
  const sold = { ...dataset, packages: [{ isp: 'Acme', name: 'Fast', imports }] }
  const request = { metric: 'httpget', relativeTo: 'plan' } as const
  const [series] = ask(sold, { ...request, percentiles: 'none' })
  expect(series?.metricData).toMatchObject([
    { min: 25, max: 66.666_666_666_667, sampleCount: 3, resultsWithoutPlan: 1 },
  ])
  // The point of 6 June has no result with a plan.
  const [daily] = ask(sold, { ...request, aggregation: 'daily' })
  expect(daily?.metricData.map(({ dtime, metricValue }) => [dtime, metricValue])).toEqual([
    ['2020-06-01', 25],
    ['2020-06-02', 66.666_666_666_667],
    ['2020-06-03', 66.666_666_666_667],
  ])
  expect(ask(sold, { ...request, metric: 'httppost' })).toEqual([{ metricData: [] }])
})
