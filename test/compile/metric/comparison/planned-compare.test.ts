import { expect, it } from 'vitest'
import type { Base } from '../../../../src/check/metric/compare.ts'
import { plannedCompare } from '../../../../src/compile/metric/comparison/planned-compare.ts'
import { aggregationOf, dimensionOf, planOf, secondOf } from '../../plans.ts'

const range = (from: string, to: string) => ({ from: secondOf(from), to: secondOf(to) })
const march = range('2026-03-01T00:00:00Z', '2026-03-31T23:59:59Z')

type Key = Parameters<typeof aggregationOf>[0]
const baseOf = (base: Base, key: Key, narrowed = march, asked = march) =>
  plannedCompare({ base, alpha: 0.05 }, { aggregation: aggregationOf(key), ...narrowed, asked }, []).base

it('takes the range before that of the request, of the same length', () => {
  const previous = range('2026-01-29T00:00:00Z', '2026-02-28T23:59:59Z')
  expect(baseOf({ kind: 'previous' }, 'daily')).toEqual({ kind: 'time', range: previous, shiftDays: 31 })
  // The points of these aggregations are not shifted: a Monday is compared with Mondays.
  for (const key of ['total', 'hour_of_day', 'day_of_week', 'day_of_month'] as const)
    expect(baseOf({ kind: 'previous' }, key)).toEqual({ kind: 'time', range: previous, shiftDays: 0 })
  const second = { from: 1_000, to: 1_000 }
  expect(baseOf({ kind: 'previous' }, 'total', second, second)).toMatchObject({ range: { from: 999, to: 999 } })
})

it('narrows the base as much as whole periods narrow the request', () => {
  const narrowed = range('2026-03-02T00:00:00Z', '2026-03-29T23:59:59Z')
  expect(baseOf({ kind: 'previous' }, 'weekly', narrowed)).toEqual({
    kind: 'time',
    range: range('2026-02-02T00:00:00Z', '2026-03-01T23:59:59Z'),
    shiftDays: 28,
  })
  const lastYear = { kind: 'time', ...range('2025-03-02T00:00:00Z', '2025-04-01T23:59:59Z') } as const
  expect(baseOf(lastYear, 'weekly', narrowed)).toEqual({
    kind: 'time',
    range: range('2025-03-03T00:00:00Z', '2025-03-30T23:59:59Z'),
    shiftDays: 364,
  })
})

it('takes any range for aggregations that are not periods', () => {
  const january = range('2026-01-05T07:00:00Z', '2026-01-05T09:00:00Z')
  expect(baseOf({ kind: 'time', ...january }, 'total')).toEqual({ kind: 'time', range: january, shiftDays: 0 })
})

it('has the resolved filters of the base', () => {
  const dimension = dimensionOf('isp')
  const filter = { kind: 'leaf', dimension, type: 'include', values: ['Northnet'] } as const
  const resolved = { ...filter, ids: [1], names: ['Northnet'] }
  const request = { aggregation: aggregationOf('daily'), ...march, asked: march }
  const planned = (base: Base) => plannedCompare({ base, alpha: 0.05 }, request, [resolved])
  expect(planned({ kind: 'filters', filters: [filter] })).toEqual({
    base: { kind: 'filters', filters: [resolved] },
    alpha: 0.05,
  })
  expect(planned({ kind: 'split', filter }).base).toEqual({ kind: 'split', filter: resolved })
})

it('knows the clock changes of both ranges', () => {
  const base = { kind: 'time', range: range('2025-10-01T00:00:00Z', '2025-10-31T23:59:59Z'), shiftDays: 0 } as const
  const zones = [{ id: 1, name: 'Europe/Paris' }]
  expect(planOf({ zones }).offsets.transitions).toEqual([])
  expect(planOf({ zones, compare: { base, alpha: 0.05 } }).offsets.transitions).toHaveLength(1)
})
