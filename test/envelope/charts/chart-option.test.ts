import { describe, expect, it } from 'vitest'
import { chartDrawing, isDrawable } from '../../../src/envelope/charts/chart-option.ts'
import { numberText, periodText, wrapped } from '../../../src/envelope/charts/chart-text.ts'
import type { DrawnAnswer, DrawnPoint } from '../../../src/envelope/charts/drawn-answer.ts'

const point = (label: string, value: number | null, more: Partial<DrawnPoint> = {}): DrawnPoint => {
  const half = value === null ? null : 2
  const [low, high] = value === null || half === null ? [null, null] : [value - half, value + half]
  return { label, value, low, high, results: 10, agents: 5, isPartial: false, caution: [], ...more }
}

const line: DrawnAnswer = {
  kind: 'line',
  axis: 'time',
  aggregation: 'daily',
  measure: 'Download',
  unit: 'Mbit/s',
  series: [
    {
      name: '',
      points: [point('2026-01-05', 50), point('2026-01-06', null), point('2026-01-07', 52, { isPartial: true })],
    },
  ],
}

type Series = {
  type: string
  name?: string
  data: { value: [number, number | null]; symbol: string }[]
  stack?: string
}
const seriesOf = (answer: DrawnAnswer): Series[] => chartDrawing(answer, null).option['series'] as Series[]
const textsOf = (answer: DrawnAnswer, around: Parameters<typeof chartDrawing>[1]): string[] =>
  (chartDrawing(answer, around).option['title'] as { text: string }[]).map(({ text }) => text)

describe('a line', () => {
  it('has a band, leaves gaps, and hollow symbols for partial points', () => {
    const [low, width, drawn] = seriesOf(line)
    expect(drawn?.data.map(({ value, symbol }) => [...value, symbol])).toEqual([
      [Date.UTC(2026, 0, 5), 50, 'circle'],
      [Date.UTC(2026, 0, 6), null, 'circle'],
      [Date.UTC(2026, 0, 7), 52, 'emptyCircle'],
    ])
    expect([low?.stack, width?.stack]).toEqual(['band of 0', 'band of 0'])
    expect([low?.data, width?.data]).toEqual([
      [
        [Date.UTC(2026, 0, 5), 48],
        [Date.UTC(2026, 0, 6), null],
        [Date.UTC(2026, 0, 7), 50],
      ],
      [
        [Date.UTC(2026, 0, 5), 4],
        [Date.UTC(2026, 0, 6), null],
        [Date.UTC(2026, 0, 7), 4],
      ],
    ])
  })

  it('starts its axis at 0 if the values are near it, and else shows the differences', () => {
    const scale = (values: number[]) => {
      const points = values.map((value, index) => point(`2026-01-0${index + 1}`, value, { low: null, high: null }))
      return (chartDrawing({ ...line, series: [{ name: '', points }] }, null).option['yAxis'] as { scale: boolean })
        .scale
    }
    expect([scale([59, 100]), scale([60, 100]), scale([-5, 100])]).toEqual([false, true, true])
  })

  it('draws at most as many series as there are colours, and says so', () => {
    const many = {
      ...line,
      series: Array.from({ length: 13 }, (_, index) => ({ points: [point('2026-01-05', 50)], name: `${index}` })),
    }
    expect(seriesOf(many).filter(({ name }) => name !== undefined)).toHaveLength(12)
    expect(textsOf(many, null).join()).toContain('The first 12 of 13 series are drawn.')
    expect(textsOf({ ...many, series: many.series.slice(1) }, null).join()).not.toContain('are drawn')
  })
})

describe('bars', () => {
  const total: DrawnAnswer = {
    ...line,
    kind: 'bar',
    axis: 'none',
    aggregation: 'total',
    series: [
      { name: 'Acme', points: [point('', 50)] },
      { name: 'Northnet', points: [point('', 70, { isPartial: true })] },
    ],
  }

  it('have one bar for each series, with whiskers, from 0', () => {
    const { option } = chartDrawing(total, null)
    expect(option).toMatchObject({ xAxis: { data: ['Acme', 'Northnet'] }, yAxis: { scale: false } })
    const [bars, whiskers] = seriesOf(total)
    expect(bars?.data).toMatchObject([{ value: 50 }, { value: 70, itemStyle: { borderType: 'dashed' } }])
    expect(whiskers).toMatchObject({
      type: 'custom',
      data: [
        [0, 48, 52],
        [1, 68, 72],
      ],
    })
  })

  it('lie if their names are long', () => {
    const long = { ...total, series: total.series.map((one) => ({ ...one, name: `${one.name} Broadband Ltd.` })) }
    expect(chartDrawing(long, null).option).toMatchObject({ xAxis: { type: 'value' }, yAxis: { inverse: true } })
  })

  it('become a line if there are too many periods', () => {
    const bars = (count: number): DrawnAnswer => ({
      ...line,
      kind: 'bar',
      series: [{ name: '', points: Array.from({ length: count }, (_, index) => point(`2026-01-${index}`, 5)) }],
    })
    expect([seriesOf(bars(80))[0]?.type, seriesOf(bars(81))[0]?.type]).toEqual(['bar', 'line'])
  })
})

describe('texts', () => {
  it('surround a picture that stands alone', () => {
    const facts = [
      { name: 'Range', text: 'January' },
      { name: 'Warning', text: 'a filter' },
      { name: 'Results', text: 'n = 20' },
    ]
    expect(textsOf(line, { title: 'A\u0000\ud800 title', facts })).toEqual([
      'A \ufffd title',
      'Download, Mbit/s',
      'The axis does not start at 0.',
      'Range: January. Results: n = 20',
      'Warning: a filter',
    ])
    const near = { ...line, series: [{ name: '', points: [point('2026-01-05', 5), point('2026-01-06', 50)] }] }
    expect(textsOf(near, null)).toEqual(['Download, Mbit/s'])
  })

  it('are wrapped, and numbers have four digits', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrapped('incomprehensible', 7)).toEqual(['incomp…'])
    expect([0, 0.012345, 1.23456, 99.96, 999.9, 12345.6, -3, null].map(numberText)).toEqual([
      '0',
      '0.01235',
      '1.235',
      '99.96',
      '999.9',
      '12346',
      '-3.000',
      '–',
    ])
    expect(periodText('7', 'hour_of_day')).toBe('07:00')
    expect(periodText('1', 'day_of_week')).toBe('Mon')
    expect(periodText('2026-04-01', 'monthly')).toBe('2026-04')
    expect([periodText('2026-04-01', 'quarterly'), periodText('2026-10-01', 'quarterly')]).toEqual([
      '2026 Q2',
      '2026 Q4',
    ])
    expect(periodText('2026-01-05T10:00:00', 'hourly')).toBe('2026-01-05 10:00')
  })
})

it('draws at most 5,000 points', () => {
  const of = (count: number) => ({
    ...line,
    series: [{ name: '', points: Array.from({ length: count }, () => point('x', 1)) }],
  })
  expect([isDrawable(of(5_000)), isDrawable(of(5_001))]).toEqual([true, false])
})
