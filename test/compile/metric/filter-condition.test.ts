import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { filterCondition, keyFilter, type ResolvedFilter } from '../../../src/compile/metric/filter-condition.ts'
import { dimensionOf } from '../plans.ts'
import { shown } from '../shown.ts'

const filter = (
  id: string,
  type: 'include' | 'exclude',
  values: readonly string[],
  ids: readonly number[] = [],
): ResolvedFilter => ({ dimension: dimensionOf(id), type, values, ids, names: [] })

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
