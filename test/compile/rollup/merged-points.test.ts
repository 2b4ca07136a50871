import { expect, it } from 'vitest'
import { pointStatement } from '../../../src/compile/metric/aggregate.ts'
import type { RolledDays } from '../../../src/compile/rollup/rolled-days.ts'
import { aggregationOf, dimensionOf, planOf, secondOf } from '../plans.ts'
import { conditionsOf, shown } from '../shown.ts'

const day = 86_400
const first = secondOf('2026-01-01T00:00:00Z') / day
const rolled: RolledDays = {
  grain: 'isp',
  daysOfBuilds: [5 * 65_536 + first, 5 * 65_536 + first + 1],
  days: { first, last: first + 1 },
  rest: [{ from: (first + 2) * day, to: (first + 3) * day - 1 }],
}
const whole = { ...rolled, rest: [] }

const compiled = (asked: Parameters<typeof planOf>[0]): string => {
  const plan = planOf({ percentiles: 'none', intervals: 'results', ...asked })
  return shown(pointStatement('bg', plan, plan.aggregation ?? aggregationOf('daily'), null).query)
}
/** The innermost SELECT that reads the rollup table. */
const ofRollup = (text: string): string =>
  /SELECT\n(?:(?!SELECT)[^])*\nFROM bg\.metric_rollup\n[^]*?GROUP BY [^\n]*/.exec(text)?.[0] ?? ''

it('merges cells of results and of rollups', () => {
  const text = compiled({ rolled, splits: ['isp'] })
  expect(text).toContain('\nFROM bg.httpget\n')
  expect(text).toContain('\n)\nUNION ALL\nSELECT\n')
  expect(text).toContain('\nFROM bg.metric_rollup\n')
})

it('reads no results if rollups cover the whole query, and no rollups if there are none', () => {
  expect(compiled({ rolled: whole })).not.toMatch(/bg\.httpget|UNION/)
  expect(compiled({ percentiles: 'sketch' })).not.toMatch(/metric_rollup|UNION/)
})

it("reads from the rollup only the caller's panels, the metric, the grain and the valid builds", () => {
  expect(conditionsOf(`\n${ofRollup(compiled({ rolled: whole, splits: ['isp'] }))}`)).toEqual([
    'panel IN {[3,7]:Array(UInt32)}',
    "metric = 'httpget' AND prefilter = 0 AND grain = {3:UInt8}",
    'whole = 1',
    'day BETWEEN {"2026-01-01":Date} AND {"2026-01-02":Date}',
    `build * 65536 + toUInt16(day) IN {[${rolled.daysOfBuilds.join()}]:Array(UInt64)}`,
  ])
})

it('reads rollups of prefiltered results if the prefilter is on', () => {
  expect(compiled({ rolled: whole, prefilter: true })).toContain("metric = 'httpget' AND prefilter = 1 AND ")
})

it('reads rows of single blocks too if blocks are weighted, with the hours of each block', () => {
  const text = ofRollup(compiled({ rolled: whole, normalised: true }))
  expect(text).toContain('\n  AND whole IN (0, 1)\n')
  expect(text).toContain('any(if(block = {255:UInt8}, 0, {[6,6,6,2,2,2]:Array(UInt8)}[block + 1])) AS cell_hours')
  expect(text).toMatch(/\nGROUP BY bucket, block$/)
})

it('filters rollups by the values they have', () => {
  const filters = [
    { kind: 'leaf', dimension: dimensionOf('isp'), type: 'include', values: ['Acme'], ids: [4], names: [] },
    { kind: 'leaf', dimension: dimensionOf('package'), type: 'exclude', values: ['x'], ids: [6], names: [] },
  ] as const
  expect(
    conditionsOf(`\n${ofRollup(compiled({ rolled: { ...whole, grain: 'package' }, filters }))}`).slice(-2),
  ).toEqual(['isp_id IN {[4]:Array(UInt32)}', 'ifNull(package_id NOT IN {[6]:Array(UInt32)}, true)'])
})

it.each([
  ['daily', 'day AS bucket'],
  ['weekly', 'toMonday(day) AS bucket'],
  ['total', 'toUInt8(0) AS bucket'],
] as const)('puts days into the buckets of %s', (aggregation, expected) => {
  expect(ofRollup(compiled({ rolled: whole, aggregation }))).toContain(`SELECT\n  ${expected},\n`)
})

it('omits the sketch if the request wants no percentiles', () => {
  expect(compiled({ rolled, normalised: true })).not.toContain('sketch')
  expect(compiled({ rolled, percentiles: 'sketch' })).toContain('sumMap(sketch) AS cell_sketch')
})

it.each([
  ['value', { splits: ['isp'] }],
  ['normalised-value', { normalised: true, percentiles: 'sketch' }],
  ['ratio', { metric: 'packetLoss', percentiles: 'sketch' }],
  ['normalised-ratio', { metric: 'packetLoss', normalised: true }],
] as const)('compiles a %s from results and rollups to the reviewed statement', async (name, asked) => {
  await expect(`${compiled({ rolled, ...asked })}\n`).toMatchFileSnapshot(`golden/merged-${name}.sql`)
})
