import { expect, it } from 'vitest'
import { FieldFaults } from '../../../../src/check/field-faults.ts'
import { checkTotals } from '../../../../src/check/metric/series/totals.ts'
import { errorsOf, type } from '../../faults.ts'

function check(body: Record<string, unknown>): object {
  const faults = new FieldFaults()
  const checked = checkTotals({ chartType: 'aggregate', ...body }, faults)
  faults.throwIfAny()
  return checked
}

it('takes true, false and null', () => {
  expect([check({ totals: true }), check({ totals: false }), check({ totals: null }), check({})]).toEqual([
    { totals: true },
    {},
    {},
    {},
  ])
})

it.each([
  [{ totals: 1 }, type('bool')],
  [{ totals: true, chartType: 'raw' }, ['Raw points have no totals; use the chart type "aggregate".']],
  [
    { totals: true, compare: { previous: true } },
    ['Totals have no comparisons; compare in a request without "splits" instead.'],
  ],
])('refuses %j', (body, messages) => {
  expect(errorsOf(() => check(body))).toEqual({ totals: messages })
})
