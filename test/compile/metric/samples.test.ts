import { expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { samples } from '../../../src/compile/metric/samples.ts'
import { dimensionOf, planOf, secondOf, testOf } from '../plans.ts'
import { conditionsOf, shown } from '../shown.ts'

const fromOf = (asked: Parameters<typeof planOf>[0]): string => shown(samples('bg', planOf(asked)).from)
const conditions = (asked: Parameters<typeof planOf>[0]): string[] => conditionsOf(fromOf(asked))

const [from, to] = [secondOf('2026-01-01T00:00:00Z'), secondOf('2026-01-31T23:59:59Z')]
const scope = 'panel IN {[3,7]:Array(UInt32)}'
const days = (first: string, last: string): string => `toDate(dtime) BETWEEN {"${first}":Date} AND {"${last}":Date}`
const seconds = (first: number, last: number): string => `local_second BETWEEN {${first}:Int64} AND {${last}:Int64}`

it('reads the table of the test, first by panel and time', () => {
  expect(fromOf({})).toBe(`FROM bg.httpget
WHERE ${scope}
  AND ${days('2026-01-01', '2026-01-31')}
  AND ${seconds(from, to)}
  AND successes >= 1
  AND isNotNull(bytes_sec)`)
})

it('reads the UTC days that can contain the local range: earlier in the east, later in the west', () => {
  const zones = [
    { id: 1, name: 'Pacific/Kiritimati' },
    { id: 2, name: 'Pacific/Pago_Pago' },
  ]
  expect(conditions({ zones })[1]).toBe(days('2025-12-31', '2026-02-01'))
})

it('reads no day before 1970', () => {
  const zones = [{ id: 1, name: 'Asia/Tokyo' }]
  expect(conditions({ zones, from: 0, to: 86_399 })[1]).toBe(days('1970-01-01', '1970-01-01'))
})

it('excludes agents that are being erased right after the panels', () => {
  expect(conditions({ erased: [5, 6] }).slice(0, 2)).toEqual([scope, 'agent NOT IN {[5,6]:Array(UInt32)}'])
})

it('excludes results that are no longer kept, by ClickHouse’s clock', () => {
  const plan = planOf()
  const kept = { ...plan, test: { ...plan.test, keepDays: 90 } }
  expect(conditionsOf(shown(samples('bg', kept).from))[3]).toBe(
    "local_second >= 86400 * toInt64(toDate(now('UTC')) - 88)",
  )
})

it('excludes results stored after the request of an export', () => {
  const storedBefore = Temporal.Instant.from('2026-02-03T04:05:06.789Z')
  expect(conditions({ storedBefore })[3]).toBe(`ingested_at < {"2026-02-03 04:05:06.789":DateTime64(3, 'UTC')}`)
})

it('reads only what rollups do not cover', () => {
  const rolled = { grain: 'none', daysOfBuilds: [], days: { first: 1, last: 2 } } as const
  const [early, late] = [
    { from, to: from + 3599 },
    { from: to - 60, to },
  ]
  expect(conditions({ rolled: { ...rolled, rest: [early] } }).slice(0, 3)).toEqual([
    scope,
    days('2026-01-01', '2026-01-01'),
    seconds(from, from + 3599),
  ])
  expect(conditions({ rolled: { ...rolled, rest: [early, late] } }).slice(0, 2)).toEqual([
    scope,
    `((${days('2026-01-01', '2026-01-01')} AND ${seconds(from, from + 3599)}) OR ` +
      `(${days('2026-01-31', '2026-01-31')} AND ${seconds(to - 60, to)}))`,
  ])
})

it.each([
  ['httpget', ['successes >= 1', 'isNotNull(bytes_sec)']],
  ['wanDown', ['isNotNull(toInt128(wan_rx_bytes) - sk_rx_bytes)']],
  ['packetLoss', ['successes + failures > 0', 'isNotNull(failures)']],
  ['tracerouteHops', ['hop_address = address', 'successes >= 1', 'isNotNull(hop)']],
  ['mobilePacketLoss', ['packets_sent > 0', 'isNotNull(packets_sent - packets_received)']],
])('uses as samples of %s the rows with %j', (metric, expected) => {
  expect(conditions({ metric }).slice(3)).toEqual(expected)
})

it('excludes what the prefilter matches, but not rows with a missing operand', () => {
  const { metric } = planOf({ metric: 'jitterUp' })
  const rules = metric.prefilter.map(({ excludes }) => `NOT ifNull(${shown(excludes)}, false)`)
  expect(rules.length).toBeGreaterThan(0)
  expect(conditions({ metric: 'jitterUp', prefilter: true }).slice(5)).toEqual(rules)
  expect(conditions({ metric: 'jitterUp', prefilter: false }).slice(5)).toEqual([])
})

it('filters last, with one condition per filter', () => {
  const filters = [
    { kind: 'leaf', dimension: dimensionOf('target'), type: 'include', values: ['a', 'b'], ids: [], names: [] },
    { kind: 'leaf', dimension: dimensionOf('threads'), type: 'exclude', values: ['8'], ids: [], names: [] },
  ] as const
  expect(conditions({ filters }).slice(-2)).toEqual([
    'target IN {["a","b"]:Array(String)}',
    'ifNull(threads NOT IN {[8]:Array(Int64)}, true)',
  ])
})

it('compares the local clock last, after the filters that skip granules', () => {
  const of = (id: string, values: readonly string[]) =>
    ({ kind: 'leaf', dimension: dimensionOf(id), type: 'include', values, ids: [], names: [] }) as const
  const hour = 'toUInt8(intDiv(local_second % 86400, 3600))'
  const weekday = 'toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400))))'
  expect(
    conditions({
      filters: [of('hour_of_day', ['8', '08', 'x']), of('peak', ['peak', 'none']), of('agent', ['a'])],
      window: { weekdays: [6, 7], hours: [0, 23] },
    }).slice(5),
  ).toEqual([
    expect.stringMatching(/^agent IN /),
    `${hour} IN {[8]:Array(Int64)}`,
    `toUInt8(${hour} IN {[19,20,21,22]:Array(UInt8)} AND ${weekday} IN {[1,2,3,4,5]:Array(UInt8)}) IN {[1]:Array(UInt8)}`,
    `${hour} IN {[0,23]:Array(UInt8)}`,
    `${weekday} IN {[6,7]:Array(UInt8)}`,
  ])
  expect(conditions({ window: { weekdays: null, hours: [5] } }).slice(5)).toEqual([`${hour} IN {[5]:Array(UInt8)}`])
})

const names = (metric: string): string[] => samples('bg', planOf({ metric })).aliases.map(({ name }) => name)
const aliased = (metric: string, name: string): string => {
  const alias = samples('bg', planOf({ metric })).aliases.find((one) => one.name === name)
  return alias === undefined ? 'no such name' : shown(alias.value)
}

it('names span, zone, local time and value of a row, each from earlier names', () => {
  expect(names('httpget')).toEqual(['span', 'zone', 'utc_second', 'local_second', 'number'])
  expect(aliased('httpget', 'zone')).toBe(
    "arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1]",
  )
  expect(aliased('httpget', 'number')).toBe('toInt64(assumeNotNull(bytes_sec))')
})

it('names numerator, denominator and percentage of a row of a ratio', () => {
  expect(names('packetLoss').slice(4)).toEqual(['numerator', 'denominator', 'percentage'])
  expect(aliased('packetLoss', 'numerator')).toBe('toInt64(assumeNotNull(failures))')
  expect(aliased('packetLoss', 'denominator')).toBe('toInt64(assumeNotNull(successes + failures))')
  expect(aliased('packetLoss', 'percentage')).toBe('100 * numerator / denominator')
})

it.each([
  ['httpget', 'toInt64(assumeNotNull(bytes_sec))'],
  ['wanUp', 'toInt128(assumeNotNull(toInt128(wan_tx_bytes) - sk_tx_bytes))'],
])('computes the number of %s as %s, in 128 bits only where 64 may not be enough', (metric, expected) => {
  const { aliases } = samples('bg', planOf({ metric }))
  expect(aliases.filter(({ name }) => name === 'number').map(({ value }) => shown(value))).toEqual([expected])
})

/**
 * The expressions of a metric may use only columns of its test, in stored units. docs/metrics.md gives the unit of each
 * metric.
 */
it.each(catalog.metrics.map((metric) => [metric.key, metric] as const))(
  'computes %s from columns of its test',
  (_key, { measure, test, rows }) => {
    const expressions = measure.kind === 'value' ? [measure.integer] : [measure.numerator, measure.denominator]
    const words = [...expressions, ...(rows === undefined ? [] : [rows])].flatMap(
      (one) => shown(one).match(/\b[a-z_]+\b(?!\()/g) ?? [],
    )
    const columns = testOf(test).columns.map(({ name }) => name)
    expect(words.filter((word) => !columns.includes(word))).toEqual([])
  },
)
