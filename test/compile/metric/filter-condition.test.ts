import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { mapLeaves } from '../../../src/check/metric/filters/filter-tree.ts'
import { checkFilters } from '../../../src/check/metric/filters/metric-filters.ts'
import { pointStatement } from '../../../src/compile/metric/aggregate.ts'
import {
  filterCondition,
  groupableCondition,
  keyFilter,
  type ResolvedFilter,
  type ResolvedLeaf,
} from '../../../src/compile/metric/filter-condition.ts'
import { cpuMs } from '../../kit/cpu-ms.ts'
import { deepestFilters } from '../filters/deepest-filters.ts'
import { aggregationOf, dimensionOf, planOf } from '../plans.ts'
import { shown } from '../shown.ts'

const filter = (
  id: string,
  type: 'include' | 'exclude',
  values: readonly string[],
  ids: readonly number[] = [],
): ResolvedLeaf => ({ kind: 'leaf', dimension: dimensionOf(id), type, values, ids, names: [] })

const condition = (...asked: Parameters<typeof filter>): string => shown(filterCondition('bg', filter(...asked)))

it('keeps rows with one of the values', () => {
  expect(condition('target', 'include', ['a', "b'"])).toBe(`target IN {["a","b'"]:Array(String)}`)
})

it('drops rows with one of the values, and keeps rows without a value', () => {
  expect(condition('target', 'exclude', ['a'])).toBe('ifNull(target NOT IN {["a"]:Array(String)}, true)')
})

const spanLookUp = (attribute: string): string =>
  `arrayMap(k -> dictGetOrDefault('bg.spans', '${attribute}', k, dictGet('bg.spans_recent', '${attribute}', k)), [span])[1]`

it.each([
  ['isp', 'isp_id'],
  ['package', 'package_id'],
])('compares %s by the numbers of its names', (id, attribute) => {
  expect(condition(id, 'include', ['Acme'], [4, 9])).toBe(`${spanLookUp(attribute)} IN {[4,9]:Array(UInt32)}`)
  expect(condition(id, 'exclude', ['Acme'], [4])).toBe(
    `ifNull(${spanLookUp(attribute)} NOT IN {[4]:Array(UInt32)}, true)`,
  )
})

it('keeps no row for an unknown name', () => {
  expect(condition('isp', 'include', ['Nobody'], [])).toBe(`${spanLookUp('isp_id')} IN {[]:Array(UInt32)}`)
})

it.each([
  ['agent', 'agent_id', 'x', '["x"]:Array(String)'],
  ['unit', 'unit_id', '8', '[8]:Array(Int64)'],
])('finds the agents of %s once, without reading the dictionary', (id, attribute, value, bound) => {
  const found = `(SELECT toUInt32(arrayJoin(dictGetKeys('bg.agents', '${attribute}', arrayJoin({${bound}})))))`
  expect(condition(id, 'include', [value])).toBe(`agent IN ${found}`)
  expect(condition(id, 'exclude', [value])).toBe(`ifNull(agent NOT IN ${found}, true)`)
})

it.each(['base', 'country'])('looks %s up for each row', (id) => {
  const value = `dictGet('bg.agents', '${id}', agent)`
  expect(condition(id, 'include', ['x'])).toBe(`${value} IN {["x"]:Array(String)}`)
  expect(condition(id, 'exclude', ['x'])).toBe(`ifNull(${value} NOT IN {["x"]:Array(String)}, true)`)
})

it('compares custom values as text', () => {
  expect(condition('custom.region', 'include', ['5'])).toMatch(/ IN \{\["5"\]:Array\(String\)\}$/)
})

it.each(['threads', 'ip_version'])('compares %s as whole numbers', (id) => {
  expect(condition(id, 'include', ['8', '0'])).toContain('IN {[8,0]:Array(Int64)}')
})

it.each([
  ['0', [0]],
  ['7', [7]],
  ['-3', [-3]],
  ['9007199254740991', [9_007_199_254_740_991]],
  ['-9007199254740991', [-9_007_199_254_740_991]],
  ['9007199254740992', []],
  ['12345678901234567', []],
  ['-0', []],
  ['08', []],
  ['8.0', []],
  ['8e0', []],
  [' 8', []],
  ['8 ', []],
  ['8\n', []],
  ['+8', []],
  ['eight', []],
  ['', []],
])('interprets %j as %j: a number has one notation', (value, numbers) => {
  expect(condition('threads', 'include', [value])).toBe(`threads IN {${JSON.stringify(numbers)}:Array(Int64)}`)
})

it('compares the values that rollups have', () => {
  expect(shown(keyFilter(filter('isp', 'include', ['Acme'], [4]), sql`isp_id`))).toBe('isp_id IN {[4]:Array(UInt32)}')
  expect(shown(keyFilter(filter('base', 'exclude', ['v8']), sql`base`))).toBe(
    'ifNull(base NOT IN {["v8"]:Array(String)}, true)',
  )
})

const leafOf = (id: string, type: ResolvedLeaf['type'], ...values: string[]): ResolvedLeaf => ({
  kind: 'leaf',
  dimension: dimensionOf(id),
  type,
  values,
  ids: [4, 9],
  names: [],
})
const conditionOf = (one: ResolvedFilter): string => shown(filterCondition('bg', one))

it.each([
  ['contains', 'position(toValidUTF8(target), {"a":String}) > 0'],
  ['starts_with', 'startsWith(toValidUTF8(target), {"a":String})'],
  ['ends_with', 'endsWith(toValidUTF8(target), {"a":String})'],
  ['matches', 'match(toValidUTF8(target), {"a":String})'],
] as const)('compares the shown text: %s', (type, expected) => {
  expect(conditionOf(leafOf('target', type, 'a'))).toBe(expected)
})

it('accepts any of several texts or patterns', () => {
  expect(conditionOf(leafOf('target', 'starts_with', 'a', 'b'))).toBe(
    'arrayExists(v -> startsWith(toValidUTF8(target), v), {["a","b"]:Array(String)})',
  )
  expect(conditionOf(leafOf('target', 'matches', 'a', 'b'))).toBe(
    'arrayMap(t -> match(t, {"a":String}) OR match(t, {"b":String}), [toValidUTF8(target)])[1]',
  )
})

it('compares the text of a number', () => {
  expect(conditionOf(leafOf('threads', 'contains', '1'))).toBe('position(toString(threads), {"1":String}) > 0')
  expect(conditionOf(leafOf('unit', 'contains', '1'))).toMatch(/^position\(toString\(dictGet\('bg.agents', 'unit_id'/)
})

it.each([
  ['isp', 'isp_id'],
  ['package', 'package_id'],
])('compares %s by the numbers of the names that match', (id, attribute) => {
  for (const type of ['contains', 'matches'] as const)
    expect(conditionOf(leafOf(id, type, 'A'))).toBe(`${spanLookUp(attribute)} IN {[4,9]:Array(UInt32)}`)
  expect(conditionOf(leafOf(id, 'is_set'))).toBe(`${spanLookUp(attribute)} != 0`)
  expect(conditionOf(leafOf(id, 'is_missing'))).toBe(`${spanLookUp(attribute)} = 0`)
})

it.each([
  ['at_least', '>='],
  ['above', '>'],
  ['at_most', '<='],
  ['below', '<'],
] as const)('compares numbers: %s', (type, operator) => {
  expect(conditionOf(leafOf('threads', type, '2.5'))).toBe(`threads ${operator} {2.5:Float64}`)
  expect(conditionOf(leafOf('custom.region', type, '-1'))).toMatch(
    new RegExp(String.raw`^arrayMap\(t -> if\(match\(t, '\^-\?\[0-9\]\+.*NULL\), .*\[1\] ${operator} \{-1:Float64\}$`),
  )
})

it('tells set from missing', () => {
  expect(conditionOf(leafOf('target_set', 'is_set'))).toBe('isNotNull(target_group)')
  expect(conditionOf(leafOf('target_set', 'is_missing'))).toBe('isNull(target_group)')
})

it('joins conditions, and counts null as false before it negates', () => {
  const [one, other] = [leafOf('target', 'include', 'a'), leafOf('threads', 'above', '1')]
  const both = 'target IN {["a"]:Array(String)} OR threads > {1:Float64}'
  expect(conditionOf({ kind: 'any', of: [one, other] })).toBe(`(${both})`)
  expect(conditionOf({ kind: 'all', of: [one, other] })).toBe(`(${both.replace('OR', 'AND')})`)
  expect(conditionOf({ kind: 'not', of: { kind: 'any', of: [one, other] } })).toBe(`NOT ifNull((${both}), 0)`)
})

it('has no subquery in a condition to group by', () => {
  const tree: ResolvedFilter = {
    kind: 'not',
    of: { kind: 'any', of: [leafOf('agent', 'include', 'x'), leafOf('unit', 'at_least', '1')] },
  }
  expect(conditionOf(tree)).toContain('SELECT')
  expect(shown(groupableCondition('bg', tree))).not.toContain('SELECT')
})

it('compiles the largest filters in milliseconds', () => {
  const ids = ['isp', 'unit', 'agent', 'threads', 'custom.region', 'target', 'country']
  const faults = new FieldFaults()
  const known = new Map(ids.map((id) => [id, dimensionOf(id)]))
  const checked = checkFilters(deepestFilters(), known, [], faults)
  faults.throwIfAny()
  const filters = checked.map((tree) => mapLeaves(tree, (leaf) => ({ ...leaf, ids: [1, 2, 3], names: leaf.values })))
  const plan = planOf({ filters })
  const compile = () => pointStatement('bg', plan, aggregationOf('daily'), 1_000).query.parts.length
  compile()
  // About 3 ms on an idle machine.
  expect(cpuMs(() => void compile())).toBeLessThan(30)
})
