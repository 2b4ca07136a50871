import { describe, expect, it } from 'vitest'
import { QueryCosts } from '../../src/execute/query-costs.ts'
import { planOf } from '../compile/plans.ts'

const shape = planOf({ percentiles: 'none' })
const other = planOf({ percentiles: 'none', normalised: true })
const rows = 10_000_000

/** Costs after queries that took these seconds. */
function costsOf(seconds: readonly number[], ofShape = shape): QueryCosts {
  const costs = new QueryCosts()
  for (const one of seconds) costs.record(ofShape, { rowsRead: rows, engineMs: one * 1000 })
  return costs
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => (index + 1) / 100)

describe('the likely time of a query', () => {
  it('is a wide range until thirty queries of its shape have run', () => {
    const wide = new QueryCosts().estimate(shape, rows)
    expect(wide[1] / wide[0]).toBeCloseTo(16, 0)
    expect(costsOf(upTo(29)).estimate(shape, rows)).toEqual(wide)
    expect(costsOf(upTo(30)).estimate(shape, rows)).not.toEqual(wide)
  })

  it('contains 95 % of the queries of its shape', () => {
    expect(costsOf(upTo(100)).estimate(shape, rows)).toEqual([0.03, 0.98])
  })

  it('grows with the rows', () => {
    const costs = costsOf(upTo(100))
    const [small, large] = [costs.estimate(shape, rows), costs.estimate(shape, 10 * rows)]
    expect(large[1] / small[1]).toBeGreaterThan(5)
    expect(large[1] / small[1]).toBeLessThan(10)
  })

  it('is that of all queries until thirty of its shape have run', () => {
    const wide = new QueryCosts().estimate(shape, rows)
    const slow = costsOf(
      Array.from({ length: 100 }, () => 30),
      other,
    )
    const ofOthers = slow.estimate(shape, rows)
    expect(ofOthers).not.toEqual(wide)
    for (let index = 0; index < 29; index += 1) slow.record(shape, { rowsRead: rows, engineMs: 500 })
    expect(slow.estimate(shape, rows)[1]).toBe(ofOthers[1])
    slow.record(shape, { rowsRead: rows, engineMs: 500 })
    expect(slow.estimate(shape, rows)).toEqual([0.5, 0.5])
  })

  it('does not learn from queries that failed', () => {
    const wide = new QueryCosts().estimate(shape, rows)
    const failed = new QueryCosts()
    for (const engineMs of upTo(100)) failed.record(shape, { rowsRead: null, engineMs })
    expect(failed.estimate(shape, rows)).toEqual(wide)
  })

  it('forgets all but the last thousand queries', () => {
    const costs = costsOf(Array.from({ length: 1_000 }, () => 9))
    for (let index = 0; index < 1_000; index += 1) costs.record(shape, { rowsRead: rows, engineMs: 500 })
    expect(costs.estimate(shape, rows)).toEqual([0.5, 0.5])
  })
})
