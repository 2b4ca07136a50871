import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { contentOf } from '../../../src/compile/metric/raw-points.ts'
import { dimensionValue } from '../../../src/compile/metric/dimension-value.ts'
import { dimensionOf } from '../plans.ts'
import { shown } from '../shown.ts'

const spanLookUp = (attribute: string): string =>
  `arrayMap(k -> dictGetOrDefault('bg.spans', '${attribute}', k, dictGet('bg.spans_recent', '${attribute}', k)), [span])[1]`
const agentLookUp = (attribute: string, of = 'agent'): string => `dictGet('bg.agents', '${attribute}', ${of})`
const field = 'transform(panel, {[3,7]:Array(UInt32)}, {[11,12]:Array(UInt32)}, 0)'
const customKey = `bitOr(bitShiftLeft(toUInt64(${field}), 32), toUInt64(span))`
const packageRow = "dictGet('bg.packages', ('isp_id', 'name'), toUInt64(k))"

it.each([
  ['target', 'target', 'k'],
  ['target_set', 'target_group', 'k'],
  ['threads', 'threads', 'k'],
  ['carrier_name', 'carrier_name', 'k'],
  ['agent', 'agent', agentLookUp('agent_id', 'k')],
  ['unit', agentLookUp('unit_id'), 'toString(k)'],
  ['base', agentLookUp('base'), 'k'],
  ['country', agentLookUp('country'), 'k'],
  ['isp', spanLookUp('isp_id'), "nullIf(dictGet('bg.isps', 'name', toUInt64(k)), '')"],
  [
    'package',
    spanLookUp('package_id'),
    `if(k = 0, NULL, concat(dictGet('bg.isps', 'name', toUInt64(${packageRow}.1)), ':', ${packageRow}.2))`,
  ],
  [
    'custom.region',
    `arrayMap(k -> dictGetOrDefault('bg.custom_values', 'value', k, dictGet('bg.custom_values_recent', 'value', k)), [${customKey}])[1]`,
    'k',
  ],
])('groups by %s as of the measurement, and shows its name', (id, key, name) => {
  const value = dimensionValue('bg', dimensionOf(id).source)
  expect(shown(value.key)).toBe(key)
  expect(shown(value.shown(sql`k`))).toBe(name)
})

it.each([
  ['threads', 'label'],
  ['ip_version', 'label'],
  ['target', 'text'],
  ['isp', 'text'],
  ['unit', 'text'],
  ['custom.region', 'text'],
] as const)('writes %s into a file as %s', (id, content) => {
  expect(contentOf(dimensionOf(id).source)).toBe(content)
})
