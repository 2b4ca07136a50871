import { describe, expect, it } from 'vitest'
import { drawnAnswer } from '../../../src/envelope/charts/drawn-answer.ts'

const meta = { metric: { key: 'httpget', name: 'Download', unit: 'mbps' }, time: { from: '', to: '' } }
const point = (more: object = {}) => ({
  dtime: '2026-01-05',
  metricValue: 50,
  sampleCount: 7,
  agentCount: 3,
  ci95: 4,
  ...more,
})
const answered = (points: object[], more: object = {}) => ({
  data: [{ metricData: points }],
  meta: { ...meta, ...more },
})
const asked = (more: object = {}, statistic?: string) => ({
  request: { aggregation: 'daily', ...more },
  chart: statistic === undefined ? null : { kind: 'line' as const, statistic },
})

describe('a drawn answer', () => {
  it('has the value of each point with its interval, its counts, and what qualifies it', () => {
    const { series, unit, measure, axis, kind } = drawnAnswer(
      asked(),
      answered([point(), point({ dtime: '2026-01-06', ci95: null, partial: true, caution: ['one_agent'] })]),
    )
    expect({ unit, measure, axis, kind }).toEqual({ unit: 'Mbit/s', measure: 'Download', axis: 'time', kind: 'line' })
    expect(series).toEqual([
      {
        name: '',
        points: [
          { label: '2026-01-05', value: 50, low: 46, high: 54, results: 7, agents: 3, isPartial: false, caution: [] },
          {
            label: '2026-01-06',
            value: 50,
            low: null,
            high: null,
            results: 7,
            agents: 3,
            isPartial: true,
            caution: ['one_agent'],
          },
        ],
      },
    ])
  })

  it('names series by their splits, by the metric if there are several, and the rest', () => {
    const of = (more: object) => ({ metricData: [point(more)] })
    const byIsp = drawnAnswer(asked({ splits: ['isp', 'unit'] }), {
      data: [of({ isp: 'Acme', unit: 5 }), of({ isp: null, unit: 6 }), of({ other: true, isp: null, unit: null })],
      meta,
    })
    expect(byIsp.series.map(({ name }) => name)).toEqual(['Acme, 5', 'no value, 6', 'all others'])
    const metrics = [meta.metric, { key: 'latency', name: 'Latency', unit: 'ms' }]
    const several = drawnAnswer(asked(), {
      data: [of({ metric: 'httpget' }), of({ metric: 'latency' })],
      meta: { metrics, time: meta.time },
    })
    expect(several.series.map(({ name }) => name)).toEqual(['Download', 'Latency'])
    expect([several.measure, several.unit]).toEqual(['Download, Latency', ''])
  })

  it('draws bars for the whole range and numbers of hours in their order, unless the question says otherwise', () => {
    const { dtime: _, ...total } = point()
    expect(drawnAnswer(asked({ aggregation: 'total' }), answered([total]))).toMatchObject({ axis: 'none', kind: 'bar' })
    const hours = drawnAnswer(asked({ aggregation: 'hour_of_day' }), answered([{ ...total, aggregatedNumber: 3 }]))
    expect(hours).toMatchObject({ axis: 'number', kind: 'line', series: [{ points: [{ label: '3' }] }] })
    expect(
      drawnAnswer({ ...asked(), chart: { kind: 'bar', statistic: 'metricValue' } }, answered([point()])).kind,
    ).toBe('bar')
  })

  it('finds other statistics, with their units and intervals', () => {
    const given = point({
      percentiles: { '50': 48, '97.5': 90 },
      percentileIntervals: { '50': [40, 55], '97.5': null },
      reachingShare: 61,
      reachingLow: 50,
      reachingHigh: 70,
      median: 48,
    })
    const shown = (statistic: string) => {
      const { series, unit, measure } = drawnAnswer(asked({}, statistic), answered([given]))
      const { value, low, high } = series[0]?.points[0] ?? {}
      return [value, low, high, unit, measure]
    }
    expect(shown('percentiles.50')).toEqual([48, 40, 55, 'Mbit/s', 'Download: percentiles.50'])
    expect(shown('percentiles.97.5')).toEqual([90, null, null, 'Mbit/s', 'Download: percentiles.97.5'])
    expect(shown('median')).toEqual([48, 40, 55, 'Mbit/s', 'Download: median'])
    expect(shown('reachingShare')).toEqual([61, 50, 70, '%', 'Download: reachingShare'])
    expect(shown('sampleCount')).toEqual([7, null, null, '', 'Download: sampleCount'])
    expect(shown('stdDev')).toEqual([null, null, null, 'Mbit/s', 'Download: stdDev'])
  })

  it('has no series without results', () => {
    expect(drawnAnswer(asked(), answered([])).series).toEqual([])
  })
})
