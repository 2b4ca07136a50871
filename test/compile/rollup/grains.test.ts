import { describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import {
  coarsestFirst,
  coarsestGrain,
  type Grain,
  grains,
  isOfGrain,
  rolledDimensions,
  rolledGrain,
  rolledKey,
  rolledValue,
} from '../../../src/compile/rollup/grains.ts'
import { dimensionOf, planOf, testOf, visible } from '../plans.ts'
import { shown } from '../shown.ts'

const source = (id: string) => dimensionOf(id).source

/** Stored in every row: a number that changes would mix rows of different grains. */
it('has a number of its own for each grain, the coarsest first', () => {
  expect(coarsestFirst.map((grain) => [grain, grains[grain]])).toEqual([
    ['none', 0],
    ['isp', 3],
    ['package', 4],
    ['agents', 1],
    ['every', 2],
  ])
})

it.each<[readonly string[], Grain | null]>([
  [[], 'none'],
  [['isp'], 'isp'],
  [['package'], 'package'],
  [['package', 'isp'], 'package'],
  [['base'], 'agents'],
  [['country', 'isp'], 'agents'],
  [['target'], 'every'],
  [['threads', 'isp'], 'every'],
  [['agent'], null],
  [['unit'], null],
  [['custom.region'], null],
  [['isp', 'unit'], null],
])('answers by %j from the coarsest rows that have them: %s', (ids, grain) => {
  expect(coarsestGrain(ids.map(source))).toBe(grain)
})

it.each<[string, readonly Grain[]]>([
  ['isp', ['isp', 'package', 'agents', 'every']],
  ['package', ['package', 'agents', 'every']],
  ['base', ['agents', 'every']],
  ['target', ['every']],
])('keeps %s in the grains %j', (id, expected) => {
  expect(coarsestFirst.filter((grain) => isOfGrain(dimensionOf(id), grain))).toEqual(expected)
})

it.each([
  ['isp', 'isp_id'],
  ['package', 'package_id'],
  ['base', 'base'],
  ['country', 'country'],
  ['target_set', 'target_group'],
  ['threads', 'threads'],
])('keeps %s in the column %s', (id, column) => {
  expect(shown(rolledKey(source(id)))).toBe(column)
})

it.each(['agent', 'unit', 'custom.region'])('refuses to group sums by %s, by which none are kept', (id) => {
  expect(() => rolledKey(source(id))).toThrow(`sums are not kept by ${source(id).kind}`)
})

it('keeps of a test the dimensions it has, and of the catalogue all', () => {
  const columns = (key?: string) =>
    rolledDimensions(catalog, key === undefined ? undefined : testOf(key)).map(({ column }) => column)
  expect(columns('dns')).toEqual(['isp_id', 'package_id', 'country', 'base'])
  expect(columns('httpget')).toEqual([
    'isp_id',
    'package_id',
    'country',
    'base',
    'target',
    'target_group',
    'threads',
    'ip_version',
  ])
  expect(columns().length).toBe(visible.dimensions.filter(({ id }) => !/^(agent|unit|custom\..*)$/.test(id)).length)
})

it('keeps the value a row is grouped by', () => {
  const [isp] = rolledDimensions(catalog)
  expect(isp === undefined ? '' : shown(rolledValue('bg', isp))).toBe(
    "dictGetOrDefault('bg.spans', 'isp_id', span, dictGet('bg.spans_recent', 'isp_id', span))",
  )
})

describe('a plan', () => {
  const filter = (id: string) =>
    ({ dimension: dimensionOf(id), type: 'include', values: [], ids: [], names: [] }) as const

  it.each(['sketch', 'none'] as const)('is answered from sums with percentiles %s', (percentiles) => {
    expect(rolledGrain(planOf({ percentiles }))).toBe('none')
  })

  it('is answered from results with exact percentiles', () => {
    expect(rolledGrain(planOf({ percentiles: 'exact' }))).toBeNull()
  })

  it.each(['hourly', 'six_hourly', 'hour_of_day'] as const)('is answered from results by %s', (aggregation) => {
    expect(rolledGrain(planOf({ aggregation, percentiles: 'none' }))).toBeNull()
  })

  it.each(['daily', 'weekly', 'monthly', 'quarterly', 'day_of_week', 'day_of_month', 'total'] as const)(
    'is answered from sums by %s',
    (aggregation) => {
      expect(rolledGrain(planOf({ aggregation, percentiles: 'none' }))).toBe('none')
    },
  )

  it('is answered from results when it is raw, or of a file', () => {
    expect(rolledGrain(planOf({ aggregation: null, percentiles: 'none' }))).toBeNull()
    const storedBefore = Temporal.Instant.from('2026-02-01T00:00:00Z')
    expect(rolledGrain(planOf({ percentiles: 'none', storedBefore }))).toBeNull()
  })

  it('needs a grain that has its splits and its filters', () => {
    expect(rolledGrain(planOf({ percentiles: 'none', splits: ['isp'], filters: [filter('package')] }))).toBe('package')
    expect(rolledGrain(planOf({ percentiles: 'none', splits: ['isp'], filters: [filter('unit')] }))).toBeNull()
  })
})
