import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../../faults/dice.ts'
import { firstDifference } from '../reference/comparison.ts'
import type { MetricService } from '../reference/metric-service.ts'
import { idsOf } from '../reference/model/filters/filter.ts'
import { reference } from '../reference/model/reference.ts'
import type { Asked, Data, MetricRequest, Point } from '../reference/model/request.ts'
import { rollRequests } from '../reference/requests/roll-requests.ts'
import { metrics, openRolledService } from './rolled-service.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const seed = deep ? newSeed() : 1
const count = deep ? 1_000 : 30
/** The relative error of percentiles that the service promises. */
const relativeError = 1 / 128

let service: MetricService
let asked: Asked[]

beforeAll(async () => {
  service = await openRolledService(seed)
  asked = rollRequests(service.dataset, seed, count * 2, service.askable, Temporal.Now.instant(), metrics)
    .filter(({ request }) => request.chartType === 'aggregate')
    .slice(0, count)
    .map((one) => ({ ...one, request: withoutAgents(one.request) }))
  asked.push(...everyGrain.map((request) => ({ organisation: 'acme', request, now: Temporal.Now.instant() })))
}, 300_000)
afterAll(() => service?.close())

/**
 * Changes most requests so that rollups can answer them. Removes windows, splits and filters by agent and by hour, and replaces
 * hourly buckets. Rollups do not have the results of each agent, so all points are about results, and all intervals by results.
 * They have neither the bins of a histogram nor exact percentiles.
 */
function withoutAgents(given: MetricRequest): MetricRequest {
  const { fields: _fields, include: _include, percentiles: _percentiles, ...statistics } = given
  const { perAgent: _perAgent, reaching: _reaching, agent_agg: _mean, compare: _compare, ...ofResults } = statistics
  const { preset: _preset, histogram: _histogram, percentileLevels: _levels, ...more } = ofResults
  const request: MetricRequest = { ...more, intervals: 'results' }
  const isOfAgent = (id: string) =>
    ['agent', 'unit', 'hour_of_day', 'day_of_week', 'peak'].includes(id) || id.startsWith('custom.')
  if (Number(String(request.time.from).slice(8, 10)) % 4 === 0) return request
  const aggregation =
    request.aggregation?.endsWith('ly') === true && request.aggregation.includes('hour') ? 'daily' : request.aggregation
  const { window: _window, ...anyTime } = request
  return {
    ...anyTime,
    ...(aggregation === undefined ? {} : { aggregation }),
    // The range can contain whole hours, but no whole day.
    ...(aggregation === request.aggregation ? {} : { wholePeriods: false }),
    splits: (request.splits ?? []).filter((id) => !isOfAgent(id)),
    filters: (request.filters ?? []).filter((filter) => !idsOf([filter]).some(isOfAgent)),
  }
}

const ask = ({ organisation, request }: Asked, percentiles: 'none' | 'sketch'): Promise<Data> =>
  service.ask(organisation, { ...request, percentiles } as MetricRequest)

it.each(['none', 'sketch'] as const)(
  `with percentiles "%s" answers ${count} random requests as the reference does`,
  { timeout: 4 * 3_600_000 },
  async (percentiles) => {
    const differences: string[] = []
    for (const one of asked) {
      const answer = await ask(one, percentiles)
      const expected = reference(service.dataset, one).map(({ metricData }, series) => ({
        metricData: metricData.map((point, place) =>
          percentiles === 'none' ? withoutLevels(point) : withNearLevels(point, answer[series]?.metricData[place]),
        ),
      }))
      const difference = firstDifference(expected, answer)
      if (difference !== null) differences.push(`seed ${seed}: ${JSON.stringify(one.request)}\n${difference}`)
      if (differences.length > 3) break
    }
    expect(differences.join('\n\n')).toBe('')
  },
)

function withoutLevels({ median: _median, percentiles: _percentiles, ...point }: Point): Point {
  return point
}

/** The expected point. Where an actual percentile is within the promised error, it replaces the expected percentile. */
function withNearLevels(point: Point, given: Point | undefined): Point {
  const levels = Object.entries((point['percentiles'] ?? {}) as Record<string, number>)
  const values = [point['min'], ...levels.map(([, value]) => value), point['max']].map(Number)
  // If a point has negative and positive values, the largest absolute value determines the error. The neighbouring
  // percentiles are an upper bound for the largest absolute value.
  const isMixed = (values.at(0) ?? 0) < 0 && (values.at(-1) ?? 0) > 0
  const sizeOf = (place: number) =>
    Math.max(...(isMixed ? [place - 1, place, place + 1] : [place]).map((one) => Math.abs(values[one] ?? 0)))
  const near = (place: number, actual: unknown) => {
    const expected = values[place] ?? Number.NaN
    const isNear = Math.abs(Number(actual) - expected) <= relativeError * sizeOf(place) * (1 + 1e-9) + 1e-9
    return typeof actual === 'number' && isNear ? actual : expected
  }
  const answered = (given?.['percentiles'] ?? {}) as Record<string, number>
  const median = levels.findIndex(([key]) => key === '50') + 1
  return {
    ...point,
    median: point['median'] === null ? null : near(median, given?.['median']),
    percentiles: Object.fromEntries(levels.map(([key], index) => [key, near(index + 1, answered[key])])),
  }
}

const whole: MetricRequest = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  intervals: 'results',
  time: { from: '2020-03-15 00:00', to: '2020-04-25 00:00' },
}

const isFiltered = { filters: [{ id: 'isp', filterType: 'exclude' as const, filterValues: ['nobody'] }] }
/** Several filters by the same dimension. A row must pass all of these filters. */
const twice = (id: string, ...given: [type: 'include' | 'exclude', ...values: string[]][]) => ({
  filters: given.map(([filterType, ...filterValues]) => ({ id, filterType, filterValues })),
})
/** Every combination of split and filter that has its own rollup grain. */
const everyGrain: MetricRequest[] = [
  {},
  { splits: ['isp'] },
  { ...isFiltered },
  { splits: ['package'] },
  { splits: ['isp', 'package'] },
  { splits: ['package'], ...isFiltered },
  { splits: ['isp', 'country'] },
  { splits: ['ip_version'] },
  twice('isp', ['include', 'Acme', 'acme'], ['include', 'acme', 'Bee Net']),
  twice('country', ['include', 'GB', 'US'], ['exclude', 'US']),
  twice('ip_version', ['include', '4'], ['exclude', '4']),
].map((more, index) => ({ ...whole, aggregation: 'daily', normalised: index % 2 === 1, prefilter: true, ...more }))

it('answers from the rollup: corrupting it changes the answers that may come from it, and no others', async () => {
  const { world } = service
  const { nodes, database, cluster } = world.engine('ADMIN')
  const counts = async (request: object) => {
    const [series] = await service.ask('acme', { ...whole, ...request })
    return Number(series?.metricData[0]?.['sampleCount'])
  }
  const before = await counts({ percentiles: 'none' })
  for (const node of nodes)
    await node.command({
      query: `ALTER TABLE ${database}.metric_rollup${cluster === null ? '' : '_shard'} UPDATE results = results * 2
              WHERE 1 SETTINGS mutations_sync = 2`,
    })
  expect(await counts({ percentiles: 'none' })).toBeGreaterThan(before * 1.5)
  expect(await counts({ percentiles: 'sketch', normalised: true })).toBeGreaterThan(before * 1.5)
  // One filter for each grain. The filter excludes nothing.
  for (const id of ['isp', 'package', 'country', 'ip_version']) {
    const filters = [{ id, filterType: 'exclude', filterValues: ['9'] }]
    expect(await counts({ percentiles: 'none', filters }), id).toBeGreaterThan(before * 1.5)
  }
  expect(await counts({})).toBe(before)
  expect(await counts({ percentiles: 'exact' })).toBe(before)
  const always = { weekdays: [1, 2, 3, 4, 5, 6, 7] }
  expect(await counts({ percentiles: 'none', window: always })).toBe(before)
  expect(await counts({ percentiles: 'sketch', window: always, normalised: true })).toBe(before)
  for (const id of ['hour_of_day', 'day_of_week', 'peak']) {
    const filters = [{ id, filterType: 'exclude', filterValues: ['99'] }]
    expect(await counts({ percentiles: 'none', filters }), id).toBe(before)
    const series = await service.ask('acme', { ...whole, percentiles: 'none', splits: [id] })
    const sum = series.reduce((all, { metricData }) => all + Number(metricData[0]?.['sampleCount']), 0)
    expect(sum, id).toBe(before)
  }
  const named = { id: 'agent', filterType: 'exclude', filterValues: ['nobody'] }
  expect(await counts({ percentiles: 'none', filters: [named] })).toBe(before)
})
