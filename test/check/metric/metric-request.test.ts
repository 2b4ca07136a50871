import { expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { visibleTo } from '../../../src/catalog/visible.ts'
import { faultsMax } from '../../../src/check/field-faults.ts'
import { leavesOf } from '../../../src/check/metric/filters/filter-tree.ts'
import { checkMetricRequest } from '../../../src/check/metric/metric-request.ts'
import { runningMs } from '../../kit/running-time.ts'

const panels = [
  { id: 7, key: 'homes', owned: true },
  { id: 3, key: 'lent', owned: false },
]
const visible = visibleTo(
  {
    panels,
    kinds: ['whitebox'],
    tests: 'all',
    metrics: 'all',
    customFields: [{ panel: 7, key: 'region', field: 1 }],
    erased: [],
  },
  catalog,
)
const now = Temporal.Instant.from('2026-03-29T12:34:56.789Z')

const proper = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59:59' },
}

const check = (body: unknown) => checkMetricRequest(body, visible, panels, now)

function errorsOf(body: unknown): unknown {
  try {
    check(body)
    return null
  } catch (error) {
    return error instanceof Fault ? error.errors : error
  }
}

function detailsOf(change: Record<string, unknown>): Fault['details'] {
  try {
    check({ ...proper, ...change })
  } catch (error) {
    if (error instanceof Fault) return error.details
  }
  return undefined
}

const missing = ['This field is missing.']
const choice = ['The value you selected is not a valid choice.']
const type = (name: string) => [`This value should be of type ${name}.`]
const datetime = ['This value is not a valid datetime.']

it("accepts the specification's example, with every panel of the caller and exact percentiles", () => {
  expect(check(proper)).toMatchObject({
    metric: { key: 'httpget' },
    aggregation: { key: 'daily' },
    panels: [3, 7],
    from: Date.UTC(2026, 0, 1) / 1000,
    to: Date.UTC(2026, 0, 31, 23, 59, 59) / 1000,
    splits: [],
    filters: [],
    percentiles: 'exact',
  })
})

it('treats null for an optional field as absent', () => {
  const nulls = { splits: null, filters: null, panel: null, agent_agg: null, percentiles: null }
  expect(check({ ...proper, ...nulls })).toEqual(check(proper))
  const raw = { ...proper, chartType: 'raw' }
  expect(check({ ...raw, aggregation: null })).toEqual(check(raw))
})

it('reports all faults at once', () => {
  expect(errorsOf({})).toEqual({
    metric: missing,
    chartType: missing,
    normalised: missing,
    prefilter: missing,
    time: missing,
  })
  expect(
    errorsOf({
      metric: 'speed',
      chartType: 'pie',
      aggregation: 'yearly',
      normalised: 'yes',
      prefilter: 1,
      splits: ['isp', 'isp', 'colour', 5],
      filters: [{ id: 'isp' }, 'x', { id: 'isp', filterType: 'only', filterValues: [], more: 1 }],
      time: { from: '2026-02-30 00:00', to: true, at: 1 },
      panel: ['homes', 'elsewhere'],
      percentiles: 'all',
      agent_agg: 'yes',
      colour: 'red',
    }),
  ).toEqual({
    metric: choice,
    chartType: choice,
    aggregation: choice,
    normalised: type('bool'),
    prefilter: type('bool'),
    'splits[1]': ['This split is repeated.'],
    'splits[2]': choice,
    'splits[3]': type('string'),
    'filters[0][filterType]': missing,
    'filters[0][filterValues]': missing,
    'filters[1]': type('object'),
    'filters[2][filterType]': choice,
    'filters[2][filterValues]': ['There must be at least 1 value.'],
    'filters[2][more]': ['This field was not expected.'],
    'time[from]': datetime,
    'time[to]': type('string'),
    'time[at]': ['This field was not expected.'],
    'panel[1]': choice,
    percentiles: choice,
    agent_agg: type('bool'),
    colour: ['This field was not expected.'],
  })
})

it.each<[string, Record<string, unknown>, unknown]>([
  ['an aggregate without aggregation', { aggregation: undefined }, { aggregation: missing }],
  ['an aggregate whose aggregation is null', { aggregation: null }, { aggregation: missing }],
  ['a required field that is null', { metric: null }, { metric: type('string') }],
  ['a wrong aggregation with raw', { chartType: 'raw', aggregation: 'x' }, { aggregation: choice }],
  ...['dnsFail', 'webgetFail'].map((metric): [string, Record<string, unknown>, unknown] => [
    `raw points of ${metric}, which has none`,
    { chartType: 'raw', metric },
    { chartType: ['This metric is only available in aggregated form.'] },
  ]),
  ['splits that are no list', { splits: 'isp' }, { splits: type('array') }],
  ['filters that are no list', { filters: {} }, { filters: type('array') }],
  [
    'values that are no list',
    { filters: [{ id: 'isp', filterType: 'include', filterValues: 'x' }] },
    { 'filters[0][filterValues]': type('array') },
  ],
  ['a dimension of another metric', { metric: 'dnsResponse', splits: ['threads'] }, { 'splits[0]': choice }],
  ['a dimension of kinds the caller lacks', { splits: ['carrier_name'] }, { 'splits[0]': choice }],
  ['a metric of kinds the caller lacks', { metric: 'mobileDownload' }, { metric: choice }],
  [
    'five splits',
    { splits: ['isp', 'package', 'agent', 'unit', 'base'] },
    { splits: ['There may be at most 4 splits.'] },
  ],
  [
    'a range back to front',
    { time: { from: '2026-01-02 00:00', to: '2026-01-01 23:59:59' } },
    {
      'time[to]': ['This value should not be before time[from].'],
    },
  ],
  ['half a millisecond', { time: { from: 1.5, to: 2 } }, { 'time[from]': datetime }],
  ['null as a time', { time: { from: null, to: [] } }, { 'time[from]': type('string'), 'time[to]': type('string') }],
  ['half a range', { time: { from: '2026-01-02 00:00' } }, { 'time[to]': missing }],
  [
    '51 filters',
    { filters: Array.from({ length: 51 }, () => ({})) },
    { filters: ['There may be at most 50 filters.'] },
  ],
  [
    '1,001 values',
    { filters: [{ id: 'isp', filterType: 1, filterValues: Array.from({ length: 1001 }, () => 'x') }] },
    { 'filters[0][filterValues]': ['There may be at most 1000 values.'] },
  ],
  ['an empty list of panels', { panel: [] }, { panel: choice }],
])('refuses %s', (_, change, errors) => {
  expect(errorsOf({ ...proper, ...change })).toEqual(errors)
})

const ofEveryTest = ['isp', 'package', 'country', 'agent', 'unit', 'base', 'hour_of_day', 'day_of_week', 'peak']

it.each<[string, Record<string, unknown>, Fault['details']]>([
  [
    'a dimension of another metric',
    { metric: 'dnsResponse', splits: ['threads'] },
    {
      'splits[0]': {
        choices: [...ofEveryTest, 'custom.region'],
        reason: 'threads is not a dimension of this metric.',
      },
    },
  ],
  [
    'a dimension that is not there, or not the caller’s',
    { metric: 'dnsResponse', filters: [{ id: 'carrier_name', filterType: 1, filterValues: ['x'] }] },
    {
      'filters[0][id]': {
        choices: [...ofEveryTest, 'custom.region'],
        reason: 'No dimension you can use has this id.',
      },
    },
  ],
  [
    'a panel',
    { panel: ['elsewhere'] },
    { 'panel[0]': { choices: ['homes', 'lent'], reason: 'No panel you can read has this key.' } },
  ],
  ['an empty list of panels', { panel: [] }, { panel: { choices: ['homes', 'lent'], reason: 'The list is empty.' } }],
  ['no text', { chartType: 1 }, { chartType: { choices: ['raw', 'aggregate'] } }],
  [
    'raw points of a metric that has none',
    { chartType: 'raw', metric: 'dnsFail' },
    { chartType: { choices: ['aggregate'] } },
  ],
  ['a percentile', { percentiles: 'all' }, { percentiles: { choices: ['exact', 'sketch', 'none'] } }],
  [
    'a filter type',
    { filters: [{ id: 'isp', filterType: 'only', filterValues: ['x'] }] },
    {
      'filters[0][filterType]': {
        choices: ['include', 'exclude', 'contains', 'starts_with', 'ends_with', 'matches', 'is_set', 'is_missing'],
      },
    },
  ],
  ['a time', { time: { from: 'yesterday', to: 'now' } }, undefined],
])('lists the choices and the reason: %s', (_, change, details) => {
  expect(detailsOf(change)).toEqual(details)
})

it("lists only the caller's metrics", () => {
  const { choices = [] } = detailsOf({ metric: 'mobileDownload' })?.['metric'] ?? {}
  expect(choices).toContain('httpget')
  expect(choices.filter((key) => key.startsWith('mobile'))).toEqual([])
})

it('lists the existing fields for an unknown one', () => {
  expect(detailsOf({ split: ['isp'] })).toMatchObject({ split: { choices: expect.arrayContaining(['splits']) } })
})

it.each<[string, Record<string, unknown>]>([
  ['an instant', { time: { from: '2026-01-01 10:00', to: '2026-01-01 10:00:00' } }],
  ['four splits', { splits: ['isp', 'package', 'agent', 'custom.region'] }],
  ['1,000 values', { filters: [{ id: 'isp', filterType: 'include', filterValues: Array(1000).fill('x') }] }],
  ['raw, and an aggregation that then has no effect', { chartType: 'raw' }],
  ['raw points of other shares', { chartType: 'raw', metric: 'packetLoss' }],
  ['those of pings too', { chartType: 'raw', metric: 'pingLoss' }],
  ['agent_agg: false', { agent_agg: false }],
  ['a panel that is lent', { panel: 'lent' }],
])('accepts %s', (_, change) => {
  expect(errorsOf({ ...proper, ...change })).toBeNull()
})

it.each([
  ['include', 'include'],
  ['exclude', 'exclude'],
  ['inclusive', 'include'],
  ['exclusive', 'exclude'],
  [1, 'include'],
  ['1', 'include'],
  [0, 'exclude'],
  ['0', 'exclude'],
])('interprets filterType %j as %s', (filterType, meaning) => {
  const { filters } = check({ ...proper, filters: [{ id: 'isp', filterType, filterValues: ['x'] }] })
  expect(leavesOf(filters).map((leaf) => leaf.type)).toEqual([meaning])
})

it.each(['threads', 'ip_version', 'unit'])('accepts whole numbers as values of %s', (id) => {
  const { filters } = check({ ...proper, filters: [{ id, filterType: 'include', filterValues: [8, '4', -0] }] })
  expect(leavesOf(filters).map(({ values }) => values)).toEqual([['8', '4', '0']])
})

it.each([
  ['isp', 8, 'string'],
  ['custom.region', 8, 'string'],
  ['threads', 1.5, 'integer'],
  ['threads', true, 'string'],
])('refuses as a value of %s: %j', (id, value, wanted) => {
  expect(errorsOf({ ...proper, filters: [{ id, filterType: 'include', filterValues: [value] }] })).toEqual({
    'filters[0][filterValues][0]': type(wanted),
  })
})

it('does not check the types of values of an unknown filter', () => {
  const filters = [{ id: 'colour', filterType: 'include', filterValues: [8] }]
  expect(errorsOf({ ...proper, filters })).toEqual({ 'filters[0][id]': choice })
})

const valuesOf = (...filterValues: unknown[]) => ({
  ...proper,
  filters: [{ id: 'isp', filterType: 'include', filterValues }],
})

it.each<[string, unknown, string]>([
  ['an object', {}, 'This value should be of type string.'],
  ['a NUL', 'a\0b', 'Invalid value'],
  ['half a character', '\ud800', 'Invalid value'],
  ['20,001 characters', 'a'.repeat(20_001), 'Invalid value'],
])('refuses %s as a value of a filter', (_what, value, message) => {
  expect(errorsOf(valuesOf('Acme', value))).toEqual({ 'filters[0][filterValues][1]': [message] })
})

it('accepts values of 20,000 characters of any kind', () => {
  const values = ['', '👍'.repeat(20_000), "a'b\n"]
  expect(check(valuesOf(...values)).filters).toMatchObject([{ dimension: { id: 'isp' }, type: 'include', values }])
})

const seconds = (text: string) => Temporal.Instant.from(text).epochMilliseconds / 1000

it.each([
  ['2026-02-28 23:59', '2026-02-28T23:59:00Z'],
  ['0001-01-01 00:00', '0001-01-01T00:00:00Z'],
  ['2024-02-29 00:00:01', '2024-02-29T00:00:01Z'],
  ['now', '2026-03-29T12:34:56Z'],
  ['-1 days', '2026-03-28T12:34:56Z'],
  ['+30 days', '2026-04-28T12:34:56Z'],
  ['-1 day', '2026-03-28T12:34:56Z'],
  ['-3 DAYS', '2026-03-26T12:34:56Z'],
  ['+1 Day', '2026-03-30T12:34:56Z'],
  ['NOW', '2026-03-29T12:34:56Z'],
  ['-600000 days', '0383-07-01T12:34:56Z'],
])('reads the time %s', (from, instant) => {
  expect(check({ ...proper, time: { from, to: '2027-01-01 00:00' } }).from).toBe(seconds(instant))
})

it('reads a day as its first second in `from`, and its last second in `to`', () => {
  const { from, to } = check({ ...proper, time: { from: '2026-02-28', to: '2026-02-28' } })
  expect([from, to]).toEqual([seconds('2026-02-28T00:00:00Z'), seconds('2026-02-28T23:59:59Z')])
})

it('reads a number as milliseconds since 1970', () => {
  expect(check({ ...proper, time: { from: 1_772_360_430_000, to: 'now' } }).from).toBe(seconds('2026-03-01T10:20:30Z'))
})

it.each([
  '2026-02-29 00:00',
  '2026-13-01 00:00',
  '2026-00-10 00:00',
  '2026-01-32 00:00',
  '2026-01-01 24:00',
  '2026-01-01 10:60',
  '2026-01-01 10:00:60',
  '2026-01-01T10:00',
  '0000-01-01 00:00',
  ' 2026-01-01 10:00',
  '2026-01-01 10:00 ',
  '2026-1-1 10:00',
  '1 days',
  '+1.5 days',
  '-0999999 days',
  '+9999999 days',
  'yesterday',
  '',
])('refuses the time %j', (from) => {
  expect(errorsOf({ ...proper, time: { from, to: '2027-01-01 00:00' } })).toEqual({ 'time[from]': datetime })
})

/**
 * A body of the maximum size has room for a hundred thousand splits. If the check searched a list for each split, it
 * would take a minute and block all other callers.
 */
it('refuses a hundred thousand splits quickly, with a thousand faults', () => {
  const startedAt = runningMs()
  const splits = [...Array<number>(260_000).fill(0), ...Array<string>(87_000).fill('isp')]
  const errors = errorsOf({ ...proper, splits }) as Record<string, string[]>
  expect(errors['splits']).toEqual(['There may be at most 4 splits.'])
  expect(Object.keys(errors)).toHaveLength(faultsMax)
  expect(runningMs() - startedAt).toBeLessThan(2_000)
})

/**
 * One metadata change can create twenty thousand custom fields. If the check searched a list of the fields for each
 * split, it would be too slow.
 */
it('finds a hundred thousand splits among twenty thousand fields quickly', () => {
  const customFields = Array.from({ length: 20_000 }, (_, field) => ({ panel: 7, key: `field ${field}`, field }))
  const crowded = visibleTo(
    { panels, kinds: ['whitebox'], tests: 'all', metrics: 'all', customFields, erased: [] },
    catalog,
  )
  const body = { ...proper, splits: Array.from({ length: 100_000 }, (_, index) => `custom.field ${index}`) }
  const startedAt = runningMs()
  expect(() => checkMetricRequest(body, crowded, panels, now)).toThrow(Fault)
  expect(runningMs() - startedAt).toBeLessThan(2_000)
  const last = checkMetricRequest({ ...proper, splits: ['custom.field 19999'] }, crowded, panels, now)
  expect(last.splits.map(({ id }) => id)).toEqual(['custom.field 19999'])
})
