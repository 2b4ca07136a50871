import { describe, expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { limits } from '../../src/base/limits.ts'
import { checkPointCount, metricSeries, percentilesHeader } from '../../src/envelope/metric-points.ts'

const isp = { id: 'isp' }
const base = { id: 'base' }

it('gives one series for points without splits', () => {
  const rows = [
    ['2026-01-01', 1],
    ['2026-01-02', 2],
  ]
  expect(metricSeries([], ['dtime', 'metricValue'], rows)).toEqual([
    {
      metricData: [
        { dtime: '2026-01-01', metricValue: 1 },
        { dtime: '2026-01-02', metricValue: 2 },
      ],
    },
  ])
})

it('gives one series without points for no rows', () => {
  expect(metricSeries([isp], ['shown_split1', 'dtime', 'metricValue'], [])).toEqual([{ metricData: [] }])
})

it('begins a new series when the splits change, and gives every point its splits by their ids', () => {
  const columns = ['shown_split1', 'shown_split2', 'dtime', 'metricValue']
  const rows = [
    ['Acme', 'v8', '2026-01-01', 1],
    ['Acme', 'v8', '2026-01-02', 2],
    ['Acme', 'v9', '2026-01-01', 3],
    ['Borough', 'v9', '2026-01-01', 4],
    ['Borough', null, '2026-01-01', 5],
  ]
  expect(metricSeries([isp, base], columns, rows)).toEqual([
    {
      metricData: [
        { dtime: '2026-01-01', metricValue: 1, isp: 'Acme', base: 'v8' },
        { dtime: '2026-01-02', metricValue: 2, isp: 'Acme', base: 'v8' },
      ],
    },
    { metricData: [{ dtime: '2026-01-01', metricValue: 3, isp: 'Acme', base: 'v9' }] },
    { metricData: [{ dtime: '2026-01-01', metricValue: 4, isp: 'Borough', base: 'v9' }] },
    { metricData: [{ dtime: '2026-01-01', metricValue: 5, isp: 'Borough', base: null }] },
  ])
})

it('gives one series for points whose split is null, separate from the text "null"', () => {
  const columns = ['shown_split1', 'dtime']
  const rows = [
    [null, '2026-01-01'],
    [null, '2026-01-02'],
    ['null', '2026-01-01'],
  ]
  expect(metricSeries([isp], columns, rows).map(({ metricData }) => metricData.length)).toEqual([2, 1])
})

it('says of a partial point that it is partial, and nothing of a whole one', () => {
  const rows = [
    ['2026-01-01', 1, true],
    ['2026-01-02', 2, false],
  ]
  expect(metricSeries([], ['dtime', 'metricValue', 'partial'], rows)).toEqual([
    {
      metricData: [
        { dtime: '2026-01-01', metricValue: 1, partial: true },
        { dtime: '2026-01-02', metricValue: 2 },
      ],
    },
  ])
})

it('names the eleven percentiles', () => {
  const levels = [1, 5, 10, 20, 25, 50, 75, 80, 90, 95, 99].map((level) => level / 2)
  const [series] = metricSeries([], ['percentiles'], [[levels]])
  expect(series?.metricData[0]).toEqual({
    percentiles: {
      '1': 0.5,
      '5': 2.5,
      '10': 5,
      '20': 10,
      '25': 12.5,
      '50': 25,
      '75': 37.5,
      '80': 40,
      '90': 45,
      '95': 47.5,
      '99': 49.5,
    },
  })
})

it('names the percentiles that the request names', () => {
  const [series] = metricSeries([], ['percentiles'], [[[1, 2]]], ['2.5', '99.9'])
  expect(series?.metricData[0]).toEqual({ percentiles: { '2.5': 1, '99.9': 2 } })
})

it('refuses more points than a response may have', () => {
  const rows = [
    ['2026-01-01', 1],
    ['2026-01-02', 2],
  ]
  checkPointCount([], ['dtime', 'metricValue'], rows, 2)
  expect(() => checkPointCount([], ['dtime', 'metricValue'], rows, 1)).toThrow('more than 1 points')
})

it('has the lists of a histogram also if they are empty', () => {
  const columns = ['histogram_edges', 'histogram_counts', 'histogram_below', 'histogram_above']
  const [series] = metricSeries([], columns, [[[80], [], 3, 4]])
  expect(series?.metricData[0]).toEqual({ histogram: { edges: [80], counts: [], below: 3, above: 4 } })
})

it('leaves every other list, and absent percentiles, unchanged', () => {
  expect(metricSeries([], ['levels', 'percentiles'], [[[1, 2], null]])).toEqual([
    { metricData: [{ levels: [1, 2], percentiles: null }] },
  ])
})

describe('more points than a response may have', () => {
  const many = (count: number, row: (index: number) => unknown[]): unknown[][] =>
    Array.from({ length: count }, (_, index) => row(index))

  function messageOf(splits: readonly { id: string }[], columns: readonly string[], rows: unknown[][]): string {
    try {
      checkPointCount(splits, columns, rows, limits.pointsMax)
      return 'answered'
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'QUERY_TOO_LARGE') throw error
      return error.message
    }
  }
  const tooMany = limits.pointsMax + 1
  const narrow = (what: string): string =>
    `The answer would have more than 100,000 points; narrow ${what} or add a filter.`

  it('answers as many as are allowed, and refuses one more', () => {
    const row = (index: number) => [index, 1]
    expect(messageOf([], ['dtime', 'metricValue'], many(limits.pointsMax, row))).toBe('answered')
    expect(messageOf([], ['dtime', 'metricValue'], many(tooMany, row))).toBe(narrow('the time range'))
  })

  it('names the split with the most values as what to narrow', () => {
    const rows = many(tooMany, (index) => [index % 10, index % 3000, index % 40])
    expect(messageOf([isp, base], ['a', 'b', 'dtime'], rows)).toBe(narrow('the split "base"'))
  })

  it.each(['dtime', 'aggregatedNumber'])(
    'names the time range as what to narrow if %s has the most values',
    (label) => {
      const rows = many(tooMany, (index) => [index % 10, index % 3000])
      expect(messageOf([isp], ['a', label], rows)).toBe(narrow('the time range'))
    },
  )

  it('does not treat the value of a total as a label', () => {
    const rows = many(tooMany, (index) => [index % 10, index])
    expect(messageOf([isp], ['a', 'metricValue'], rows)).toBe(narrow('the split "isp"'))
  })

  it('names the first split if splits have equally many values', () => {
    const rows = many(tooMany, (index) => [index % 10, index % 10, index % 10])
    expect(messageOf([isp, base], ['a', 'b', 'dtime'], rows)).toBe(narrow('the split "isp"'))
  })
})

it.each([
  ['exact', 'exact'],
  ['none', 'none'],
  ['sketch', 'sketch; relative-error=0.0078125'],
] as const)('describes how %s percentiles were computed', (percentiles, header) => {
  expect(percentilesHeader({ percentiles })).toEqual({ 'x-percentiles': header })
})
