import { expect, it } from 'vitest'
import type { QuestionContent } from '../../../src/check/question/content.ts'
import { dimensions } from '../../../src/catalog/dimensions.ts'
import { applyQuery, checkVersion } from '../../../src/check/question/run-query.ts'
import { errorsOf, unexpected } from '../faults.ts'

const request = {
  metric: 'httpget',
  time: { from: '-30 days', to: 'now' },
  filters: [
    { id: 'isp', filterType: 'exclude', filterValues: ['Acme'] },
    { id: 'country', filterType: 'include', filterValues: ['GB'] },
    { id: 'isp', filterType: 'starts_with', filterValues: ['N'] },
    { any: [{ id: 'isp', filterType: 'include', filterValues: ['Third'] }] },
  ],
}

const question = (more: Partial<QuestionContent> = {}): QuestionContent => ({
  name: 'Speed',
  description: '',
  request,
  parameters: ['isp', 'target'],
  chart: null,
  tags: [],
  ...more,
})

const include = (id: string, ...filterValues: string[]) => ({ id, filterType: 'include', filterValues })

it('runs the saved request unchanged without parameters', () => {
  expect(applyQuery(question(), {}).request).toEqual(request)
  expect(applyQuery(question(), { format: 'csv', version: '2' }).request).toEqual(request)
})

it('replaces only the given end of the time range', () => {
  expect(applyQuery(question(), { from: '-7 days' }).request).toMatchObject({ time: { from: '-7 days', to: 'now' } })
  expect(applyQuery(question(), { to: '2026-01-31' }).request).toMatchObject({
    time: { from: '-30 days', to: '2026-01-31' },
  })
})

it('puts a parameter in the place of the filters by its dimension, and leaves groups alone', () => {
  expect(applyQuery(question(), { isp: 'Northnet' }).request['filters']).toEqual([
    include('isp', 'Northnet'),
    request.filters[1],
    request.filters[3],
  ])
})

it('adds a parameter by which the request does not filter, with all its values', () => {
  expect(applyQuery(question(), { target: ['a', 'b'] }).request['filters']).toEqual([
    ...request.filters,
    include('target', 'a', 'b'),
  ])
  const unfiltered = question({ request: { metric: 'httpget' } })
  expect(applyQuery(unfiltered, { target: 'a' }).request['filters']).toEqual([include('target', 'a')])
})

it.each([
  [{ country: 'FR' }, { country: unexpected }],
  [{ 'filter.isp': 'Acme' }, { 'filter.isp': unexpected }],
  [{ metric: 'latency' }, { metric: unexpected }],
  [{ from: ['-1 days', '-2 days'] }, { from: ['This parameter may occur only once.'] }],
  [{ format: ['csv', 'csv'] }, { format: ['This parameter may occur only once.'] }],
])('refuses %o', (query, errors) => {
  expect(errorsOf(() => applyQuery(question(), query))).toEqual(errors)
})

it('names parameters by their names, and other fields by their place in the saved request', () => {
  const { place } = applyQuery(question(), { isp: 'Northnet', target: 'x', from: 'yesterday' })
  expect(
    Object.fromEntries(
      [
        'filters[0][filterValues][0]',
        'filters[1][id]',
        'filters[2][any][0][id]',
        'filters[3][filterValues]',
        'filters',
        'time[from]',
        'time[to]',
        'time',
        'metric',
        'body',
        'format',
        'compare[time][from]',
      ].map((path) => [path, place(path)]),
    ),
  ).toEqual({
    'filters[0][filterValues][0]': 'isp',
    'filters[1][id]': 'request[filters][1][id]',
    'filters[2][any][0][id]': 'request[filters][3][any][0][id]',
    'filters[3][filterValues]': 'target',
    filters: 'request[filters]',
    'time[from]': 'from',
    'time[to]': 'from',
    time: 'from',
    metric: 'request[metric]',
    body: 'request',
    format: 'format',
    'compare[time][from]': 'request[compare][time][from]',
  })
  const saved = applyQuery(question(), {})
  expect(['time[to]', 'time'].map(saved.place)).toEqual(['request[time][to]', 'request[time]'])
})

it('has no dimension whose id is another parameter of a run', () => {
  const ids = dimensions.map(({ id }) => id)
  expect(['from', 'to', 'format', 'version'].filter((name) => ids.includes(name))).toEqual([])
})

it.each([
  ['1', 1],
  ['999999999', 999_999_999],
  [undefined, null],
])('accepts the version %s', (version, number) => {
  expect(checkVersion(version === undefined ? {} : { version })).toBe(number)
})

it.each(['0', '-1', '1.5', '01', '1e3', '', 'latest', '1000000000', ['1', '1']])(
  'refuses the version %s',
  (version) => {
    expect(errorsOf(() => checkVersion({ version }))).toEqual({
      version: ['This value should be a whole number from 1 on.'],
    })
  },
)
