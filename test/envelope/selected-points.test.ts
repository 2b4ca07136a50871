import { expect, it } from 'vitest'
import type { PointSelection } from '../../src/check/metric/point-selection.ts'
import { metricSeries } from '../../src/envelope/metric-points.ts'
import { selectedPoints } from '../../src/envelope/selected-points.ts'

const splits = [{ id: 'isp' }]
const columns = ['shown_split1', 'dtime', 'metricValue', 'percentiles', 'coverage_share', 'comparison']
const levels = ['5', '95']
const rows = [
  ['Acme', '2026-01-01', 3, [1, 9], 0.5, { difference: -1 }],
  ['Acme', '2026-01-02', 1, [2, 8], 0.75, null],
  ['Borough', '2026-01-01', 3, [3, 7], null, { difference: 2 }],
  ['Borough', '2026-01-02', null, [null, null], 1, { difference: 0 }],
  [null, '2026-01-01', 2, [5, 6], 0.25, { difference: 1 }],
]
const isps = (asked: PointSelection) =>
  selectedPoints({ ...asked, splits }, { columns, rows }, levels).rows.map(
    ([isp, day]) => `${isp} ${day?.toString().slice(-1)}`,
  )

it('keeps every point, in its place, without a selection', () => {
  expect(selectedPoints({ splits }, { columns, rows }, levels)).toEqual({ columns, rows })
})

it('compares with both sides of each bound, and leaves out points without the number', () => {
  const having = (is: 'atLeast' | 'above' | 'atMost' | 'below') =>
    isps({ having: [{ field: 'metricValue', is, value: 2 }] })
  expect(having('atLeast')).toEqual(['Acme 1', 'Borough 1', 'null 1'])
  expect(having('above')).toEqual(['Acme 1', 'Borough 1'])
  expect(having('atMost')).toEqual(['Acme 2', 'null 1'])
  expect(having('below')).toEqual(['Acme 2'])
})

it('reads numbers of nested objects', () => {
  const above = (field: string, value: number) => isps({ having: [{ field, is: 'above', value }] })
  expect(above('percentiles.95', 7)).toEqual(['Acme 1', 'Acme 2'])
  expect(above('coverage.share', 0.5)).toEqual(['Acme 2', 'Borough 2'])
  expect(above('comparison.difference', 0)).toEqual(['Borough 1', 'null 1'])
})

it('keeps only points that meet all conditions', () => {
  const having = [
    { field: 'metricValue', is: 'atLeast', value: 2 },
    { field: 'percentiles.5', is: 'below', value: 3 },
  ] as const
  expect(isps({ having })).toEqual(['Acme 1'])
})

it('puts points without a value last in both directions, and keeps the order of equal points', () => {
  const by = (direction: 'asc' | 'desc') => isps({ order: [{ by: 'metricValue', direction }] })
  expect(by('asc')).toEqual(['Acme 2', 'null 1', 'Acme 1', 'Borough 1', 'Borough 2'])
  expect(by('desc')).toEqual(['Acme 1', 'Borough 1', 'null 1', 'Acme 2', 'Borough 2'])
})

it('orders by several keys, by the period, and by the bytes of a split', () => {
  const order = [
    { by: 'dtime', direction: 'desc' },
    { by: 'isp', direction: 'desc' },
  ] as const
  expect(isps({ order })).toEqual(['Borough 2', 'Acme 2', 'Borough 1', 'Acme 1', 'null 1'])
  const names = ['é', '𝄞', '￿', 'Z'].map((isp) => [isp, '1', 1, [], 0, null])
  const ordered = selectedPoints({ splits, order: [{ by: 'isp', direction: 'asc' }] }, { columns, rows: names }, levels)
  expect(ordered.rows.map(([isp]) => isp)).toEqual(['Z', 'é', '￿', '𝄞'])
})

it('limits after it has selected and ordered', () => {
  const having = [{ field: 'metricValue', is: 'above', value: 1 }] as const
  expect(isps({ having, order: [{ by: 'metricValue', direction: 'asc' }], limit: 2 })).toEqual(['null 1', 'Acme 1'])
  expect(isps({ limit: 9 })).toHaveLength(5)
})

it('gives each series its points in order, and the series in the order of their first points', () => {
  const order = [{ by: 'metricValue', direction: 'asc' }] as const
  const found = selectedPoints({ splits, order }, { columns, rows }, levels)
  const series = metricSeries(splits, found.columns, found.rows, levels)
  expect(series.map(({ metricData }) => metricData.map(({ isp, dtime }) => [isp, dtime]))).toEqual([
    [
      ['Acme', '2026-01-02'],
      ['Acme', '2026-01-01'],
    ],
    [[null, '2026-01-01']],
    [
      ['Borough', '2026-01-01'],
      ['Borough', '2026-01-02'],
    ],
  ])
})
