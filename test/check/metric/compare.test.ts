import { describe, expect, it } from 'vitest'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkCompare, type Compare } from '../../../src/check/metric/compare.ts'
import { checkFileCanHave } from '../../../src/check/metric/file-request.ts'
import { aggregationOf, dimensionOf, metricOf, secondOf, visible } from '../../compile/plans.ts'
import { errorsOf } from '../faults.ts'

const dimensions = new Map<unknown, ReturnType<typeof dimensionOf>>(visible.dimensions.map((one) => [one.id, one]))
const now = Temporal.Instant.from('2026-02-01T12:00:00Z')
const march = { from: secondOf('2026-03-01T00:00:00Z'), to: secondOf('2026-03-31T23:59:59Z') }

type Body = Record<string, unknown>
type Request = Partial<Parameters<typeof checkCompare>[1]>

function check(compare: unknown, body: Body = {}, request: Request = {}): { compare?: Compare } {
  const faults = new FieldFaults()
  const usual = {
    metrics: [metricOf('httpget')],
    aggregation: aggregationOf('daily'),
    range: march,
    splits: [dimensionOf('isp'), dimensionOf('threads')],
    filters: [],
  }
  const asked = { chartType: 'aggregate', ...body, compare }
  const checked = checkCompare(asked, { ...usual, ...request }, dimensions, now, faults)
  faults.throwIfAny()
  return checked
}
const errors = (...asked: Parameters<typeof check>) => errorsOf(() => check(...asked))

const previous = { previous: true }

it('is absent if the request says nothing', () => {
  expect([check(undefined), check(null)]).toEqual([{}, {}])
})

it('takes one of the four forms, and the defaults of its options', () => {
  expect(check(previous).compare).toEqual({ base: { kind: 'previous' }, alpha: 0.05 })
  const time = { from: '2026-01-29', to: '2026-02-28' }
  expect(check({ time, previous: null }).compare?.base).toEqual({
    kind: 'time',
    from: secondOf('2026-01-29T00:00:00Z'),
    to: secondOf('2026-02-28T23:59:59Z'),
  })
  const filters = [{ id: 'isp', filterType: 'include', filterValues: ['Northnet'] }]
  expect(check({ filters }).compare?.base).toEqual({
    kind: 'filters',
    filters: [{ kind: 'leaf', dimension: dimensionOf('isp'), type: 'include', values: ['Northnet'] }],
  })
  expect(check({ filters: [] }).compare?.base).toEqual({ kind: 'filters', filters: [] })
  expect(check({ split: 'threads', base: 8 }).compare?.base).toEqual({
    kind: 'split',
    filter: { kind: 'leaf', dimension: dimensionOf('threads'), type: 'include', values: ['8'] },
  })
})

it('takes a margin, alpha, and only agents on both sides', () => {
  expect(check({ ...previous, margin: 2, alpha: 0.0001, match: 'agents' }).compare).toEqual({
    base: { kind: 'previous' },
    margin: { in: 'unit', value: 2 },
    alpha: 0.0001,
    match: 'agents',
  })
  const percent = check({ ...previous, marginPercent: 0.5, margin: null, alpha: 0.4, match: null }).compare
  expect(percent).toEqual({ base: { kind: 'previous' }, margin: { in: 'percent', value: 0.5 }, alpha: 0.4 })
})

const exactlyOne = ['This object should have exactly one of: previous, time, filters, split.']

it.each<[unknown, Record<string, unknown>]>([
  [[], { compare: ['This value should be of type object.'] }],
  [{}, { compare: exactlyOne }],
  [{ ...previous, filters: [] }, { compare: exactlyOne }],
  [{ previous: false }, { 'compare[previous]': ['This value should be true.'] }],
  [
    { time: { from: '2026-02-30' } },
    { 'compare[time][from]': expect.any(Array), 'compare[time][to]': expect.any(Array) },
  ],
  [
    { filters: [{}] },
    {
      'compare[filters][0][id]': expect.any(Array),
      'compare[filters][0][filterType]': expect.any(Array),
      'compare[filters][0][filterValues]': expect.any(Array),
    },
  ],
  [{ split: 'package', base: 'A:B' }, { 'compare[split]': ['The value you selected is not a valid choice.'] }],
  [{ split: 'isp' }, { 'compare[base]': ['This field is missing.'] }],
  [{ split: 'isp', base: 8 }, { 'compare[base]': ['This value should be of type string.'] }],
  [{ split: 'threads', base: 1.5 }, { 'compare[base]': ['This value should be of type integer.'] }],
  [{ ...previous, base: 'A' }, { 'compare[base]': ['Only "split" has a base.'] }],
  [
    { ...previous, margin: 1, marginPercent: 1 },
    { 'compare[marginPercent]': ['This object should have at most one of: margin, marginPercent.'] },
  ],
  [{ ...previous, margin: 0 }, { 'compare[margin]': ['This value should be positive.'] }],
  [{ ...previous, marginPercent: '5' }, { 'compare[marginPercent]': ['This value should be of type number.'] }],
  [{ ...previous, alpha: 0.41 }, { 'compare[alpha]': ['This value should be between 0.0001 and 0.4.'] }],
  [{ ...previous, alpha: 0 }, { 'compare[alpha]': ['This value should be between 0.0001 and 0.4.'] }],
  [{ ...previous, match: 'units' }, { 'compare[match]': ['The value you selected is not a valid choice.'] }],
  [{ ...previous, level: 5 }, { 'compare[level]': ['This field was not expected.'] }],
])('names the fault of %j', (compare, expected) => {
  expect(errors(compare)).toEqual(expected)
})

it('refuses raw points', () => {
  const expected = { compare: ['Raw points have no statistics; use the chart type "aggregate".'] }
  expect(errors(previous, { chartType: 'raw' }, { aggregation: null })).toEqual(expected)
})

describe('periods', () => {
  const refused = ['Periods with this aggregation cannot be compared.']

  it.each(['hourly', 'six_hourly', 'monthly', 'quarterly'] as const)('cannot be compared if they are %s', (key) => {
    const aggregation = aggregationOf(key)
    expect(errors(previous, {}, { aggregation })).toEqual({ 'compare[previous]': refused })
    expect(errors({ time: { from: '2026-01-29', to: '2026-02-28' } }, {}, { aggregation })).toEqual({
      'compare[time]': refused,
    })
    expect(errors({ filters: [] }, {}, { aggregation })).toBeNull()
    expect(errors({ split: 'isp', base: 'A' }, {}, { aggregation })).toBeNull()
  })

  it.each(['total', 'hour_of_day', 'day_of_week', 'day_of_month'] as const)('may have any length with %s', (key) => {
    const aggregation = aggregationOf(key)
    expect(errors({ time: { from: '2026-01-07 11:00', to: '2026-01-08' } }, {}, { aggregation })).toBeNull()
    expect(errors(previous, {}, { aggregation, range: { from: march.from, to: march.to - 1 } })).toBeNull()
  })

  it('have whole days or weeks', () => {
    const range = { from: march.from, to: march.to - 1 }
    const message = (unit: string) => [
      `The range of the request should be a whole number of ${unit} long, or "wholePeriods" be true.`,
    ]
    expect(errors(previous, {}, { range })).toEqual({ 'compare[previous]': message('days') })
    expect(errors(previous, { wholePeriods: true }, { range })).toBeNull()
    const weekly = { aggregation: aggregationOf('weekly') }
    expect(errors(previous, {}, weekly)).toEqual({ 'compare[previous]': message('weeks') })
    expect(errors(previous, {}, { ...weekly, range: { from: march.from, to: march.to - 3 * 86_400 } })).toBeNull()
    expect(errors(previous, {}, { range: null })).toBeNull()
  })

  it('are shifted by whole days or weeks, and as long as those of the request', () => {
    const asked = (from: string, to: string, aggregation: 'daily' | 'weekly' = 'daily') =>
      errors({ time: { from, to } }, {}, { aggregation: aggregationOf(aggregation) })
    expect(asked('2026-01-29', '2026-02-28')).toBeNull()
    expect(asked('2026-04-01', '2026-05-01')).toBeNull()
    expect(asked('2026-02-01', '2026-02-28')).toEqual({
      'compare[time]': ['With this aggregation, this range should be as long as that of the request.'],
    })
    expect(asked('2026-01-29 00:00:01', '2026-03-01 00:00:00')).toEqual({
      'compare[time]': ['This range should begin a whole number of days before or after that of the request.'],
    })
    expect(asked('2026-01-29', '2026-02-28', 'weekly')).toEqual({
      'compare[time]': ['This range should begin a whole number of weeks before or after that of the request.'],
    })
    expect(asked('2026-02-01', '2026-03-03', 'weekly')).toBeNull()
  })
})

it('matches agents of normalised points only if these are about agents', () => {
  const compare = { filters: [], match: 'agents' }
  expect(errors(compare, { normalised: true })).toEqual({
    'compare[match]': ['With "normalised", only a request with "perAgent" can match agents.'],
  })
  expect(errors(compare, { normalised: true, perAgent: { statistic: 'mean' } })).toBeNull()
  expect(errors(compare, { normalised: true, agent_agg: true })).toBeNull()
  expect(errors(compare, { normalised: false })).toBeNull()
})

it('does not compare filters by the clock of normalised points', () => {
  const filters = [{ id: 'hour_of_day', filterType: 'include', filterValues: [8] }]
  const own = [{ kind: 'leaf', dimension: dimensionOf('peak'), type: 'include', values: ['peak'] }] as const
  const expected = {
    'compare[filters]': [
      'With "normalised", filters by hour, day of the week or peak cannot be compared; use "split".',
    ],
  }
  expect(errors({ filters }, { normalised: true })).toEqual(expected)
  expect(errors({ filters: [] }, { normalised: true }, { filters: own })).toEqual(expected)
  expect(errors({ filters }, { normalised: false }, { filters: own })).toBeNull()
  expect(errors(previous, { normalised: true }, { filters: own })).toBeNull()
})

it('refuses a file', () => {
  const expected = { compare: ['Files cannot contain this; POST /metric_data can.'] }
  expect(errorsOf(() => checkFileCanHave({ ...check(previous), include: [] }))).toEqual(expected)
  expect(errorsOf(() => checkFileCanHave({ include: [] }))).toBeNull()
})
