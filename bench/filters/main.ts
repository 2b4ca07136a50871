/**
 * Measures how long the service takes to check and compile the largest filters that a request can have: 100 conditions at depth 5.
 * It needs no store: `npm run bench -- filters`. It prints the median and the 95th percentile of 200 runs after a warm-up, in
 * milliseconds.
 */
import { statement } from '../../src/base/sql.ts'
import { FieldFaults } from '../../src/check/field-faults.ts'
import { mapLeaves } from '../../src/check/metric/filters/filter-tree.ts'
import { checkFilters } from '../../src/check/metric/filters/metric-filters.ts'
import { pointStatement } from '../../src/compile/metric/aggregate.ts'
import { deepestFilters } from '../../test/compile/filters/deepest-filters.ts'
import { aggregationOf, dimensionOf, planOf } from '../../test/compile/plans.ts'
import { report } from '../rig/report.ts'

const runs = 200
const warmUps = 100
const ids = ['isp', 'unit', 'agent', 'threads', 'custom.region', 'target', 'country']
const known = new Map(ids.map((id) => [id, dimensionOf(id)]))

function measured<Result>(work: () => Result): { milliseconds: number; result: Result } {
  const startedAt = performance.now()
  const result = work()
  return { milliseconds: performance.now() - startedAt, result }
}

function checked(body: readonly unknown[]) {
  const faults = new FieldFaults()
  const trees = checkFilters(body, known, [], faults)
  faults.throwIfAny()
  return trees
}

const at = (times: readonly number[], share: number): string =>
  (times.toSorted((one, other) => one - other)[Math.ceil(share * times.length) - 1] ?? Number.NaN).toFixed(2)

const rows = [1, 10, 100, 590].map((valuesEach) => {
  const body = deepestFilters(valuesEach)
  const taken = Array.from({ length: warmUps + runs }, () => {
    const check = measured(() => checked(body))
    const filters = check.result.map((tree) =>
      mapLeaves(tree, (leaf) => ({ ...leaf, ids: [1, 2, 3], names: leaf.values })),
    )
    const plan = planOf({ filters })
    const compile = measured(() => statement(pointStatement('bg', plan, aggregationOf('daily'), 1_000).query))
    return { check: check.milliseconds, compile: compile.milliseconds }
  }).slice(warmUps)
  const [checks, compiles] = [taken.map(({ check }) => check), taken.map(({ compile }) => compile)]
  return {
    'values each': valuesEach,
    'check p50': at(checks, 0.5),
    'check p95': at(checks, 0.95),
    'compile p50': at(compiles, 0.5),
    'compile p95': at(compiles, 0.95),
  }
})
report('filters', rows)
