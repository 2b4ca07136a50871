import { describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { buildStatements, planOfBuild, type RollupBuild } from '../../../src/compile/rollup/build-rollup.ts'
import { metricOf, testOf } from '../plans.ts'
import { conditionsOf, shown } from '../shown.ts'

const build: RollupBuild = {
  build: 77,
  test: testOf('dns'),
  panel: 3,
  days: { first: 20_454, last: 20_455 },
  keepDays: 400,
}
const statements = (more: Partial<RollupBuild> = {}): string[] =>
  buildStatements('bg', catalog, [], { ...build, ...more }).map(shown)
const day = 86_400

it('plans a build as a query for its panel, its days and the offsets of every zone around them', () => {
  const zones = [{ id: 1, name: 'Europe/Berlin' }]
  const change = Temporal.Instant.from('2026-03-29T01:00:00Z').epochMilliseconds / 1000
  const first = Math.floor(change / day)
  const changes = (days: RollupBuild['days']): number =>
    planOfBuild({ ...build, days }, metricOf('dnsFail'), true, zones).offsets.transitions.length
  expect(planOfBuild(build, metricOf('dnsFail'), true, zones)).toMatchObject({
    metric: { key: 'dnsFail' },
    test: { key: 'dns' },
    panels: [3],
    from: 20_454 * day,
    to: 20_456 * day - 1,
    aggregation: null,
    normalised: false,
    prefilter: true,
    splits: [],
    filters: [],
    erased: [],
    percentiles: 'sketch',
    offsets: { atStart: [0, 3600], transitions: [] },
  })
  expect(changes({ first: first - 2, last: first - 2 })).toBe(1)
  expect(changes({ first: first - 3, last: first - 3 })).toBe(0)
  expect(changes({ first: first + 2, last: first + 2 })).toBe(1)
  expect(changes({ first: first + 3, last: first + 3 })).toBe(0)
})

it('aggregates each metric of the test with and without prefilter, first all blocks together, then each alone', () => {
  const kinds = statements().map((text) => {
    const [, metric] = /\nSELECT\n {2}'(\w+)',/.exec(text) ?? []
    return metric === undefined
      ? 'from sums'
      : [metric, ...(/',\n {2}(\d),\n {2}\{2:UInt16\},\n {2}(\d),/.exec(text) ?? []).slice(1)].join(' ')
  })
  expect(kinds).toEqual([
    'dnsResponse 0 1',
    'dnsResponse 0 0',
    'dnsResponse 1 1',
    'dnsResponse 1 0',
    'dnsFail 0 1',
    'dnsFail 0 0',
    'dnsFail 1 1',
    'dnsFail 1 0',
    'from sums',
    'from sums',
    'from sums',
    'from sums',
  ])
})

it('builds coarser and coarser grains, each from the one before', () => {
  const steps = statements()
    .slice(8)
    .map((text) => [/ AND grain = \{(\d):UInt16\}\n/.exec(text)?.[1], /,\n {2}\{(\d):UInt16\},\n/.exec(text)?.[1]])
  expect(steps).toEqual([
    ['2', '1'],
    ['1', '4'],
    ['4', '3'],
    ['3', '0'],
  ])
})

it.each([
  ['from-results-whole', 0],
  ['from-results-by-block', 1],
  ['from-results-of-a-ratio', 6],
  ['from-finer-sums', 8],
  ['from-the-finest-to-none', 11],
])('compiles %s to the reviewed statement', async (name, index) => {
  await expect(`${statements()[index] ?? ''}\n`).toMatchFileSnapshot(`golden/rollup-${name}.sql`)
})

it('keeps rollup rows as long as the results, or until the last day that ClickHouse can write', () => {
  expect(statements()[0]).toContain('\n  rolled_day + {400:UInt16},\n')
  expect(statements()[8]).toContain('\n  day + {400:UInt16},\n')
  expect(statements({ keepDays: null })[0]).toContain('\n  toDate(toUInt16({65535:UInt16})),\n')
})

it('names as many columns as it selects', () => {
  for (const text of statements()) {
    const [, names = ''] = /^INSERT INTO bg\.metric_rollup \(([^)]*)\)/.exec(text) ?? []
    const [, selected = ''] = /\nSELECT\n {2}([^]*?)\nFROM /.exec(text) ?? []
    expect(selected.split(',\n  ')).toHaveLength(names.split(', ').length)
  }
})

describe.each(
  catalog.tests
    .filter(({ key }) => catalog.metrics.some(({ test }) => test === key))
    .map((test) => [test.key, test] as const),
)('%s', (key, test) => {
  it('is aggregated by panel and day first, in every statement', () => {
    const [from, to] = [20_454 * day, 20_456 * day - 1]
    for (const text of statements({ test })) {
      const isFromSums = text.includes('\nFROM bg.metric_rollup\n')
      expect(text).toContain(isFromSums ? '\nFROM bg.metric_rollup\n' : `\nFROM bg.${key}\n`)
      if (isFromSums) {
        expect(conditionsOf(text)[0]).toMatch(/^panel = \{3:UInt32\} AND build = \{77:UInt64\} AND grain = /)
        expect(conditionsOf(text)[1]).toBe(
          'day BETWEEN toDate(toUInt16({20454:UInt16})) AND toDate(toUInt16({20455:UInt16}))',
        )
      } else {
        expect(conditionsOf(text).slice(0, 3)).toEqual([
          'panel IN {[3]:Array(UInt32)}',
          'toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-02":Date}',
          `local_second BETWEEN {${from}:Int64} AND {${to}:Int64}`,
        ])
      }
    }
  })
})
