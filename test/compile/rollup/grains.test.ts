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

/**
 * Every rollup row stores the number of its grain. If a number changed, the stored rows of one grain would be read as
 * rows of another.
 */
it('has a unique number for each grain, the coarsest first', () => {
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
  [['hour_of_day'], null],
  [['day_of_week'], null],
  [['peak'], null],
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

it.each(['agent', 'unit', 'custom.region', 'peak'])(
  'refuses to group rollups by %s, for which there is no grain',
  (id) => {
    expect(() => rolledKey(source(id))).toThrow(`rollups have no column for ${source(id).kind}`)
  },
)

it('has for a test the dimensions of that test, and for the catalogue all', () => {
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
  expect(columns().length).toBe(
    visible.dimensions.filter(({ id }) => !/^(agent|unit|hour_of_day|day_of_week|peak|custom\..*)$/.test(id)).length,
  )
})

it('stores the value by which a row is grouped', () => {
  const [isp] = rolledDimensions(catalog)
  expect(isp === undefined ? '' : shown(rolledValue('bg', isp))).toBe(
    "arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1]",
  )
})

describe('a plan', () => {
  const filter = (id: string) =>
    ({ kind: 'leaf', dimension: dimensionOf(id), type: 'include', values: [], ids: [], names: [] }) as const

  /** A plan that needs nothing of single agents. */
  const planned = (asked: Parameters<typeof planOf>[0]) => planOf({ intervals: 'results', ...asked })

  it.each(['sketch', 'none'] as const)('is answered from rollups with percentiles %s', (percentiles) => {
    expect(rolledGrain(planned({ percentiles }))).toBe('none')
  })

  it('is answered from results with exact percentiles', () => {
    expect(rolledGrain(planned({ percentiles: 'exact' }))).toBeNull()
  })

  it.each(['hourly', 'six_hourly', 'hour_of_day'] as const)('is answered from results by %s', (aggregation) => {
    expect(rolledGrain(planned({ aggregation, percentiles: 'none' }))).toBeNull()
  })

  it.each(['daily', 'weekly', 'monthly', 'quarterly', 'day_of_week', 'day_of_month', 'total'] as const)(
    'is answered from rollups by %s',
    (aggregation) => {
      expect(rolledGrain(planned({ aggregation, percentiles: 'none' }))).toBe('none')
    },
  )

  it('is answered from results if it is raw, or an export', () => {
    expect(rolledGrain(planned({ aggregation: null, percentiles: 'none' }))).toBeNull()
    const storedBefore = Temporal.Instant.from('2026-02-01T00:00:00Z')
    expect(rolledGrain(planned({ percentiles: 'none', storedBefore }))).toBeNull()
    expect(rolledGrain(planned({ percentileLevels: [2.5] }))).toBeNull()
    expect(rolledGrain(planned({ percentiles: 'sketch', percentileLevels: [2.5] }))).toBe('none')
    expect(rolledGrain(planned({ percentiles: 'none', histogram: { edges: [80] } }))).toBeNull()
    expect(rolledGrain(planned({ percentiles: 'none', relativeTo: 'plan' }))).toBeNull()
  })

  it('is answered from results if it needs the statistics of each agent', () => {
    expect(rolledGrain(planned({ percentiles: 'none', intervals: 'agents' }))).toBeNull()
    expect(rolledGrain(planned({ percentiles: 'none', include: ['uncertainty'] }))).toBeNull()
    expect(rolledGrain(planned({ percentiles: 'none', intervals: 'agents', fields: ['metricValue'] }))).toBe('none')
  })

  it('is answered from results if it asks for hours or days of the week', () => {
    const window = { weekdays: [6, 7], hours: null }
    expect(rolledGrain(planned({ percentiles: 'none', window }))).toBeNull()
    for (const id of ['hour_of_day', 'day_of_week', 'peak']) {
      expect(rolledGrain(planned({ percentiles: 'none', splits: [id] }))).toBeNull()
      expect(rolledGrain(planned({ percentiles: 'none', filters: [filter(id)] }))).toBeNull()
    }
  })

  it('needs a grain that has its splits and its filters', () => {
    expect(rolledGrain(planned({ percentiles: 'none', splits: ['isp'], filters: [filter('package')] }))).toBe('package')
    expect(rolledGrain(planned({ percentiles: 'none', splits: ['isp'], filters: [filter('unit')] }))).toBeNull()
  })
})
