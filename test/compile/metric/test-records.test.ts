import { expect, it } from 'vitest'
import { statement } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import type { TestDefinition } from '../../../src/catalog/define-test.ts'
import type { ResolvedFilter, ResolvedLeaf } from '../../../src/compile/metric/filter-condition.ts'
import { compileTestRecords } from '../../../src/compile/metric/test-records.ts'
import { dimensionOf } from '../plans.ts'

const day = (text: string) => Temporal.PlainDate.from(text)

function compile(test: TestDefinition, first = '2026-01-01', last = '2026-01-31') {
  const { columns, query } = compileTestRecords(
    { test, panels: [3, 7], erased: [], days: { first: day(first), last: day(last) }, filters: [] },
    'bg',
  )
  return { columns, ...statement(query) }
}

const testOf = (key: string): TestDefinition => {
  const test = catalog.tests.find((one) => one.key === key)
  if (test === undefined) throw new Error(key)
  return test
}

it('reads the records of one test in their stored order', () => {
  const { text, params } = compile(testOf('dns'))
  expect(text).toBe(`SELECT
  dictGet('bg.agents', 'base', agent) AS base,
  toDate(dtime) AS ddate,
  dtime AS dtime,
  dictGet('bg.agents', 'agent_id', agent) AS agent_id,
  dictGet('bg.agents', 'unit_id', agent) AS unit_id,
  nameserver AS nameserver,
  lookup_host AS lookup_host,
  response_ip AS response_ip,
  rtt AS rtt,
  successes AS successes,
  failures AS failures
FROM bg.dns
WHERE panel IN {p1:Array(UInt32)}
  AND toDate(dtime) >= {p2:Date}
  AND toDate(dtime) <= {p3:Date}
ORDER BY panel, toDate(dtime), agent, dtime, nameserver, lookup_host`)
  expect(params).toEqual({ p1: [3, 7], p2: '2026-01-01', p3: '2026-01-31' })
})

it.each(catalog.tests.map((test) => [test.key, test] as const))(
  'begins with panels and days and selects the common columns first: %s',
  (_key, test) => {
    const { columns, text } = compile(test)
    expect(columns.slice(0, 5)).toEqual(['base', 'ddate', 'dtime', 'agent_id', 'unit_id'])
    expect(columns.slice(5)).toEqual(test.columns.map(({ name }) => name))
    expect(text).toMatch(/\nWHERE panel IN \{p1:Array\(UInt32\)\}\n {2}AND toDate\(dtime\) >= /)
    expect(text).not.toContain('ingested_at')
  },
)

it('reads no day that ClickHouse cannot hold, and nothing if no result is possible', () => {
  const bounds = (first: string, last: string) => {
    const { params } = compile(testOf('dns'), first, last)
    return [params['p2'], params['p3']]
  }
  expect(bounds('0001-01-01', '9999-12-31')).toEqual(['1970-01-01', '2149-06-06'])
  expect(bounds('1970-01-01', '2149-06-06')).toEqual(['1970-01-01', '2149-06-06'])
  expect(bounds('0001-01-01', '1969-12-31')).toEqual(['2149-06-06', '1970-01-01'])
  expect(bounds('2149-06-07', '9999-12-31')).toEqual(['2149-06-06', '1970-01-01'])
})

it('excludes erased agents, incomplete days, and later results', () => {
  const test = { ...testOf('dns'), keepDays: 30 }
  const days = { first: day('2026-01-01'), last: day('2026-01-31') }
  const storedBefore = Temporal.Instant.from('2026-02-01T00:00:00Z')
  const { query } = compileTestRecords({ test, panels: [3], erased: [5], days, filters: [] }, 'bg', storedBefore)
  const { text } = statement(query)
  expect(text).toContain(`WHERE panel IN {p1:Array(UInt32)}
  AND agent NOT IN {p2:Array(UInt32)}
  AND toDate(dtime) >= {p3:Date}
  AND toDate(dtime) <= {p4:Date}
  AND toDate(dtime) >= toDate(now('UTC')) - 28
  AND ingested_at < {p5:DateTime64(3, 'UTC')}
ORDER BY`)
})

it('filters after the panels, the agents and the days, and looks metadata up only for filters by it', () => {
  const days = { first: day('2026-01-01'), last: day('2026-01-31') }
  const leaf = (id: string, type: ResolvedLeaf['type'], ...values: string[]): ResolvedLeaf => ({
    kind: 'leaf',
    dimension: dimensionOf(id),
    type,
    values,
    ids: [4],
    names: values,
  })
  const request = { test: testOf('httpget'), panels: [3], erased: [], days }
  const text = (...filters: ResolvedFilter[]) => statement(compileTestRecords({ ...request, filters }, 'bg').query).text
  expect(text(leaf('target', 'starts_with', 'a'))).toMatch(
    /^SELECT[^]*WHERE panel IN \{p1:Array\(UInt32\)\}\n  AND toDate[^]*\n  AND startsWith\(toValidUTF8\(target\), /,
  )
  expect(text({ kind: 'any', of: [leaf('isp', 'include', 'Acme'), leaf('country', 'is_set')] })).toMatch(
    /^WITH\n {2}if\([^]* AS span\nSELECT[^]*\[span\]\)\[1\] IN \{/,
  )
})
