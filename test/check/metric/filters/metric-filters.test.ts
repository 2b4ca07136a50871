import { expect, it } from 'vitest'
import { Fault } from '../../../../src/base/fault.ts'
import { FieldFaults } from '../../../../src/check/field-faults.ts'
import { leavesOf, placedLeaves } from '../../../../src/check/metric/filters/filter-tree.ts'
import { checkFilters } from '../../../../src/check/metric/filters/metric-filters.ts'
import { cpuMs } from '../../../kit/cpu-ms.ts'
import { dimensionOf } from '../../../compile/plans.ts'
import { deepestFilters } from '../../../compile/filters/deepest-filters.ts'

const ids = ['isp', 'unit', 'agent', 'threads', 'hour_of_day', 'custom.region', 'target', 'country']
const dimensions = new Map(ids.map((id) => [id, dimensionOf(id)]))

const check = (filters: unknown) => {
  const faults = new FieldFaults()
  const checked = checkFilters(filters, dimensions, [], faults)
  faults.throwIfAny()
  return checked
}

function errorsOf(filters: unknown): unknown {
  try {
    check(filters)
    return null
  } catch (error) {
    return error instanceof Fault ? error.errors : error
  }
}

const leaf = (filterType: unknown, filterValues?: unknown, id = 'isp') => ({
  id,
  filterType,
  ...(filterValues === undefined ? {} : { filterValues }),
})
const gb = leaf('include', ['GB'], 'country')
const nested = (depth: number): unknown => (depth === 0 ? gb : { not: nested(depth - 1) })
const missing = 'This field is missing.'

it('accepts groups of groups', () => {
  expect(check([{ any: [gb, { all: [gb, { not: gb }] }] }, gb])).toMatchObject([
    { kind: 'any', of: [{ kind: 'leaf' }, { kind: 'all', of: [{ kind: 'leaf' }, { kind: 'not', of: {} }] }] },
    { kind: 'leaf', type: 'include', values: ['GB'] },
  ])
})

it('tells the path of each condition, as faults do', () => {
  const checked = check([gb, { any: [gb, { not: gb }] }])
  expect(placedLeaves(checked).map(({ path }) => path)).toEqual([
    'filters[0]',
    'filters[1][any][0]',
    'filters[1][any][1][not]',
  ])
})

it.each<[string, unknown, Record<string, string[]>]>([
  ['an empty any', [{ any: [] }], { 'filters[0][any]': ['There must be at least 1 filter.'] }],
  ['an empty all', [gb, { all: [] }], { 'filters[1][all]': ['There must be at least 1 filter.'] }],
  ['a group that is no list', [{ any: gb }], { 'filters[0][any]': ['This value should be of type array.'] }],
  ['a group that is null', [{ all: null }], { 'filters[0][all]': ['This value should be of type array.'] }],
  ['a list after not', [{ not: [gb] }], { 'filters[0][not]': ['This value should be of type object.'] }],
  ['a field beside a group', [{ any: [gb], id: 'isp' }], { 'filters[0][id]': ['This field was not expected.'] }],
  ['two groups in one', [{ any: [gb], not: gb }], { 'filters[0][not]': ['This field was not expected.'] }],
  [
    'a fault inside groups',
    [{ any: [gb, { not: { id: 'nope', filterType: 'include' } }] }],
    {
      'filters[0][any][1][not][id]': ['The value you selected is not a valid choice.'],
      'filters[0][any][1][not][filterValues]': [missing],
    },
  ],
  [
    'a group at depth 6',
    [nested(6)],
    { [`filters[0]${'[not]'.repeat(5)}`]: ['Groups may be nested to a depth of 5.'] },
  ],
  [
    'a number of a name',
    [leaf('at_least', ['1'])],
    { 'filters[0][filterType]': ['The value you selected is not a valid choice.'] },
  ],
  [
    'a number of a time',
    [leaf('above', [1], 'hour_of_day')],
    { 'filters[0][filterType]': ['The value you selected is not a valid choice.'] },
  ],
  [
    'two numbers',
    [leaf('below', [1, 2], 'threads')],
    { 'filters[0][filterValues]': ['There must be exactly 1 value.'] },
  ],
  ['no number', [leaf('below', [], 'threads')], { 'filters[0][filterValues]': ['There must be exactly 1 value.'] }],
  ['no values', [leaf('below', undefined, 'threads')], { 'filters[0][filterValues]': [missing] }],
  ...['x', '', '1e3', ' 1', '1 ', '.5', '3.', '+1', '0x1', '1\n', null, true, [1], '9'.repeat(400)].map(
    (value): [string, unknown, Record<string, string[]>] => [
      `${JSON.stringify(value)?.slice(0, 20)} as a number`,
      [leaf('at_most', [value], 'custom.region')],
      { 'filters[0][filterValues][0]': ['This value should be of type number.'] },
    ],
  ),
  ['values of is_set', [leaf('is_set', ['x'])], { 'filters[0][filterValues]': ['This field was not expected.'] }],
  [
    'no values of is_missing',
    [leaf('is_missing', [])],
    { 'filters[0][filterValues]': ['This field was not expected.'] },
  ],
  ['a pattern with NUL', [leaf('matches', ['a\0'])], { 'filters[0][filterValues][0]': ['Invalid value'] }],
  [
    'a pattern of 201 characters',
    [leaf('matches', ['a', 'é'.repeat(201)])],
    { 'filters[0][filterValues][1]': ['A pattern may have at most 200 characters.'] },
  ],
  [
    '101 patterns',
    [leaf('matches', Array(51).fill('a')), { not: leaf('matches', Array(50).fill('a')) }],
    { filters: ['There may be at most 100 values of filters with the type "matches".'] },
  ],
  [
    '101 conditions',
    [{ any: Array(100).fill(gb) }, { not: gb }],
    { filters: ['There may be at most 100 filters in groups and outside groups together.'] },
  ],
  ['51 filters', Array(51).fill(gb), { filters: ['There may be at most 50 filters.'] }],
])('refuses %s', (_, filters, errors) => {
  expect(errorsOf(filters)).toEqual(errors)
})

it.each<[string, unknown]>([
  ['depth 5', [nested(5)]],
  ['100 conditions', [{ any: Array(99).fill(gb) }, { not: gb }]],
  ['50 filters', Array(50).fill(gb)],
  ['a pattern of 200 characters', [leaf('matches', ['é'.repeat(200)])]],
  ['100 patterns', [leaf('matches', Array(100).fill('a'))]],
  ['an empty text', [leaf('contains', [''])]],
  ['whole numbers as texts of a number', [leaf('starts_with', [1], 'unit')]],
  ['is_set without values', [leaf('is_set'), leaf('is_missing', null)]],
])('accepts %s', (_, filters) => {
  expect(errorsOf(filters)).toBeNull()
})

it.each([
  [0.5, '0.5'],
  ['-12.50', '-12.50'],
  [1e15, '1000000000000000'],
  [-0, '0'],
])('compares with the number %j', (value, text) => {
  const [checked] = leavesOf(check([leaf('above', [value], 'custom.region')]))
  expect(checked).toMatchObject({ type: 'above', values: [text] })
})

it('lists the types that a dimension takes', () => {
  const details = (id: string) => {
    const faults = new FieldFaults()
    checkFilters([leaf('nope', ['x'], id)], dimensions, [], faults)
    try {
      faults.throwIfAny()
    } catch (error) {
      return error instanceof Fault ? error.details?.['filters[0][filterType]']?.choices : undefined
    }
    return undefined
  }
  expect(details('unit')).toContain('at_least')
  expect(details('agent')).not.toContain('at_least')
  expect(details('agent')).toContain('matches')
})

it('checks the largest filters in milliseconds', () => {
  const filters = deepestFilters()
  check(filters)
  // About 3 ms on an idle machine.
  expect(cpuMs(() => void check(filters))).toBeLessThan(30)
})
