import { expect, it } from 'vitest'
import { answerStatement } from '../../src/compile/metric/answer/answer-statement.ts'
import { totalPlansOf } from '../../src/compile/metric/answer/totals.ts'
import type { MetricPlan } from '../../src/compile/metric/metric-plan.ts'
import { separateTotals } from '../../src/envelope/totals.ts'
import { aggregationOf, planOf } from '../compile/plans.ts'

const withTotals = (plan: MetricPlan): MetricPlan => ({ ...plan, totals: true, totalPlans: totalPlansOf(plan) })
const fields = { fields: ['metricValue'], percentiles: 'none', intervals: 'results' } as const

it('separates points and totals, each with the members that it has', () => {
  const plan = withTotals(planOf({ splits: ['isp'], ...fields }))
  const { columns } = answerStatement('bg', plan, aggregationOf('daily'), 10)
  expect(columns).toEqual(['answer_set', 'shown_split1', 'dtime', 'metricValue'])
  const rows = [
    ['points', 'Acme', '2026-01-01', 1],
    ['points', 'Northnet', '2026-01-01', 3],
    ['totals', null, '2026-01-01', 2],
    ['overall', 'Acme', null, 1],
    ['overall', 'Northnet', null, 3],
    ['grand', null, null, 2],
  ]
  expect(separateTotals(plan, { columns, rows }, [])).toEqual({
    points: {
      columns: ['shown_split1', 'dtime', 'metricValue'],
      rows: [
        ['Acme', '2026-01-01', 1],
        ['Northnet', '2026-01-01', 3],
      ],
    },
    totals: {
      totals: [{ metricData: [{ dtime: '2026-01-01', metricValue: 2 }] }],
      overall: [
        { metricData: [{ metricValue: 1, isp: 'Acme' }] },
        { metricData: [{ metricValue: 3, isp: 'Northnet' }] },
      ],
      grand: [{ metricData: [{ metricValue: 2 }] }],
    },
  })
})

it.each([
  [[], 'daily', ['overall']],
  [['isp'], 'total', ['totals']],
  [[], 'total', []],
  [['isp'], 'daily', ['totals', 'overall', 'grand']],
] as const)('computes only totals that are not points: splits %j, %s', (splits, aggregation, sets) => {
  const plan = withTotals(planOf({ splits, aggregation, ...fields }))
  expect(plan.totalPlans?.map(({ set }) => set)).toEqual(sets)
})

it('takes totals that are points from the points', () => {
  const plan = withTotals(planOf({ aggregation: 'total', ...fields }))
  const found = { columns: ['metricValue'], rows: [[5]] }
  const only = [{ metricData: [{ metricValue: 5 }] }]
  expect(separateTotals(plan, found, [])).toEqual({
    points: found,
    totals: { totals: only, overall: only, grand: only },
  })
})

it('leaves the points of a request without totals as they are', () => {
  const found = { columns: ['metricValue'], rows: [[5]] }
  expect(separateTotals(planOf(fields), found, [])).toEqual({ points: found })
})
