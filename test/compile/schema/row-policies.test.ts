import { expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { rowPolicies } from '../../../src/compile/schema/row-policies.ts'
import { shown } from '../shown.ts'

const named = "has(JSONExtract(getSetting('log_comment'), 'panels', 'Array(UInt32)'), panel)"
const filters = (isCluster: boolean): Record<string, string> =>
  Object.fromEntries(rowPolicies(catalog, isCluster).map(({ table, filter }) => [table, shown(filter)]))

it.each([...catalog.tests.map(({ key }) => key), 'fact_values', 'metric_rollup'])(
  'shows of %s the panels that the query’s comment names, also of the shards',
  (table) => {
    expect(filters(false)[table]).toBe(named)
    expect(filters(true)[table]).toBe(named)
    expect(filters(true)[`${table}_shard`]).toBe(named)
  },
)

it('shows no rejected rows', () => {
  expect(filters(false)['rejected_results']).toBe('0')
  expect(filters(true)['rejected_results']).toBe('0')
  expect(filters(true)['rejected_results_shard']).toBe('0')
})

it.each(['staged_results', 'surplus_rows'])('shows nothing of %s, which is local to every node', (table) => {
  expect(filters(false)[table]).toBe('0')
  expect(filters(true)[table]).toBe('0')
  expect(filters(true)).not.toHaveProperty(`${table}_shard`)
})

it('names shards’ tables on a cluster only', () => {
  expect(Object.keys(filters(false)).filter((table) => table.endsWith('_shard'))).toEqual([])
})
