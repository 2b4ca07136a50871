import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed, rollDice, type Dice } from '../../faults/dice.ts'
import { firstDifference } from './comparison.ts'
import { buildDataset } from './dataset/build-dataset.ts'
import { openMetricService, type MetricService } from './metric-service.ts'
import type { Result } from './model/facts.ts'
import type { Filter } from './model/filters/filter.ts'
import { metrics } from './model/metrics.ts'
import type { Data, MetricRequest, Point } from './model/request.ts'
import { rollRequests } from './requests/roll-requests.ts'

const seed = newSeed()
const trials = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 500 : 40
const limits = { timeout: 3_600_000 }

let service: MetricService
let dice: Dice
/** Requests of every kind. All fields that the test does not set are random. */
let requests: MetricRequest[]

beforeAll(async () => {
  service = await openMetricService(buildDataset(seed))
  dice = rollDice(seed)
  requests = rollRequests(service.dataset, seed, trials, service.askable, Temporal.Now.instant())
    .filter(({ organisation }) => organisation === 'acme')
    // These tests add up counts, so they need all fields.
    .map(({ request }) => {
      const { fields: _, ...rest } = request
      return rest
    })
}, 300_000)
afterAll(() => service?.close())

const points = (data: Data): Point[] => data.flatMap(({ metricData }) => metricData)
const labelOf = ({ dtime, aggregatedNumber }: Point): string =>
  typeof dtime === 'string' ? dtime : typeof aggregatedNumber === 'number' ? String(aggregatedNumber) : 'total'
const valueIn = (point: Point | undefined, name: string): number => Number(point?.[name] ?? 0)

const ask = async (request: MetricRequest): Promise<Point[]> => points(await service.ask('acme', request))

/** The number of samples for each label, summed over all groups. */
function countsOf(all: Point[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const point of all) counts.set(labelOf(point), (counts.get(labelOf(point)) ?? 0) + valueIn(point, 'sampleCount'))
  return counts
}

const sorted = (counts: Map<string, number>) => [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))

/** Changes a raw request to a total. The range of a raw request may be too long for other aggregations. */
const aggregated = (request: MetricRequest): MetricRequest =>
  request.chartType === 'raw' ? { ...request, chartType: 'aggregate', aggregation: 'total' } : request

it('splits add up to the unsplit counts', limits, async () => {
  for (const request of requests.map(aggregated)) {
    const { splits: _, ...unsplit } = request
    const [split, whole] = [await ask(request), await ask(unsplit)]
    expect(sorted(countsOf(split)), JSON.stringify(request)).toEqual(sorted(countsOf(whole)))
  }
})

it('a filter and its negation together give all results', limits, async () => {
  for (const request of requests.map(aggregated)) {
    const [filter] = request.filters ?? []
    if (filter === undefined) continue
    const others = (request.filters ?? []).slice(1)
    const by = async (first: Filter) => countsOf(await ask({ ...request, filters: [first, ...others] }))
    const [included, excluded] = [await by(filter), await by({ not: filter })]
    const both = new Map(included)
    for (const [label, count] of excluded) both.set(label, (both.get(label) ?? 0) + count)
    expect(sorted(both), JSON.stringify(request)).toEqual(sorted(countsOf(await ask({ ...request, filters: others }))))
  }
})

it('a wider range loses no result', limits, async () => {
  for (const request of requests.map(aggregated)) {
    const narrow = await ask(request)
    const time = { from: '2019-01-01 00:00', to: 'now' }
    const wider = await ask({ ...request, aggregation: 'total', wholePeriods: false, time })
    const total = (all: Point[]): number => all.reduce((sum, point) => sum + valueIn(point, 'sampleCount'), 0)
    expect(total(wider), JSON.stringify(request)).toBeGreaterThanOrEqual(total(narrow))
  }
})

/** Pairs of aggregations. Each bucket of the second consists of whole buckets of the first. */
const nested: [NonNullable<MetricRequest['aggregation']>, NonNullable<MetricRequest['aggregation']>][] = [
  ['hourly', 'two_hourly'],
  ['two_hourly', 'four_hourly'],
  ['two_hourly', 'six_hourly'],
  ['hourly', 'daily'],
  ['six_hourly', 'daily'],
  ['daily', 'weekly'],
  ['daily', 'monthly'],
  ['monthly', 'quarterly'],
  ['hour_of_day', 'total'],
  ['day_of_month', 'total'],
]

it('small buckets add up to large ones: counts, sums, minimum and maximum', limits, async () => {
  const valueMetrics = Object.keys(metrics).filter((key) => 'value' in (metrics[key] ?? {}))
  for (const [small, large] of nested) {
    const request: MetricRequest = {
      metric: dice.pick(valueMetrics),
      chartType: 'aggregate',
      aggregation: small,
      normalised: false,
      prefilter: true,
      time: { from: '2020-02-01 00:00', to: '2021-05-01 00:00' },
    }
    const parts = Map.groupBy(await ask(request), (point) => containing(labelOf(point), large))
    const wholes = await ask({ ...request, aggregation: large })
    expect([...parts.keys()].toSorted(), `${request.metric} ${small}`).toEqual(wholes.map(labelOf).toSorted())
    for (const whole of wholes) {
      const inside = parts.get(labelOf(whole)) ?? []
      const sum = (of: (point: Point) => number): number => inside.reduce((total, point) => total + of(point), 0)
      const count = sum((point) => valueIn(point, 'sampleCount'))
      expect(count).toBe(whole['sampleCount'])
      const mean = sum((point) => valueIn(point, 'metricValue') * valueIn(point, 'sampleCount')) / count
      const scale = Math.max(Math.abs(valueIn(whole, 'min')), Math.abs(valueIn(whole, 'max')))
      expect(Math.abs(mean - valueIn(whole, 'metricValue'))).toBeLessThanOrEqual(1e-9 * Math.abs(mean) + 1e-13 * scale)
      expect(Math.min(...inside.map((point) => valueIn(point, 'min')))).toBe(whole['min'])
      expect(Math.max(...inside.map((point) => valueIn(point, 'max')))).toBe(whole['max'])
    }
  }
})

/** The label of the larger bucket that contains the bucket with this label. */
function containing(label: string, large: MetricRequest['aggregation']): string {
  if (large === 'total') return 'total'
  const time = Temporal.PlainDateTime.from(label)
  const hours = { two_hourly: 2, four_hourly: 4, six_hourly: 6 }[String(large)]
  if (hours !== undefined) return time.with({ hour: time.hour - (time.hour % hours) }).toString()
  const date = time.toPlainDate()
  if (large === 'weekly') return date.subtract({ days: date.dayOfWeek - 1 }).toString()
  if (large === 'monthly') return date.with({ day: 1 }).toString()
  if (large === 'quarterly') return date.with({ day: 1, month: date.month - ((date.month - 1) % 3) }).toString()
  return date.toString()
}

function turnedFilter(filter: Filter): Filter {
  if ('any' in filter) return { any: filter.any.map(turnedFilter).toReversed() }
  if ('all' in filter) return { all: filter.all.map(turnedFilter).toReversed() }
  if ('not' in filter) return { not: turnedFilter(filter.not) }
  return filter.filterValues === undefined ? filter : { ...filter, filterValues: filter.filterValues.toReversed() }
}

it('the order of filters, of their values, of panels and of keys changes nothing', limits, async () => {
  for (const request of requests) {
    const filters = (request.filters ?? []).toReversed()
    const turned = {
      ...Object.fromEntries(Object.entries(request).toReversed()),
      ...(request.panel === undefined ? {} : { panel: [request.panel].flat().toReversed() }),
      filters: filters.map(turnedFilter),
    } as MetricRequest
    const difference = firstDifference(await service.ask('acme', request), await service.ask('acme', turned))
    expect(difference, JSON.stringify(request)).toBeNull()
  }
})

it('the order in which results were stored changes nothing', limits, async () => {
  const tests = ['httppost', 'dns', 'mobile_download']
  const turned = tests.map((test): [string, Result[]] => [test, (service.dataset.results.get(test) ?? []).toReversed()])
  const other = await openMetricService({ ...service.dataset, results: new Map(turned) })
  try {
    for (const request of requests.filter(({ metric }) => tests.includes(metrics[metric]?.test ?? ''))) {
      const difference = firstDifference(await service.ask('acme', request), await other.ask('acme', request))
      expect(difference, JSON.stringify(request)).toBeNull()
    }
  } finally {
    await other.close()
  }
})
