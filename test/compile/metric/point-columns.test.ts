import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { statisticColumns } from '../../../src/compile/metric/point-columns.ts'
import type { Spread } from '../../../src/compile/metric/statistics.ts'
import { aggregationOf, planOf } from '../plans.ts'
import { shown } from '../shown.ts'

const spread: Spread = { steps: [], metricValue: sql`m`, deviation: sql`d`, standardError: sql`e` }
const columns = (asked: Parameters<typeof planOf>[0]): [string, string][] =>
  statisticColumns(planOf(asked), aggregationOf('daily'), spread).map(({ name, value }) => [name, shown(value)])
const names = (asked: Parameters<typeof planOf>[0]): string[] => columns(asked).map(([name]) => name)

it('selects the statistics in the order of the response, intervals by results from two results on', () => {
  expect(columns({ intervals: 'results' })).toEqual([
    ['metricValue', 'm'],
    ['stdDev', 'd'],
    ['sampleCount', 'sample_count'],
    ['agentCount', 'agent_count'],
    ['unitCount', 'unit_count'],
    ['ci90', '{1.6448536269514722:Float64} * e + if(sample_count < 2, NULL, 0)'],
    ['ci95', '{1.959963984540054:Float64} * e + if(sample_count < 2, NULL, 0)'],
    ['ci99', '{2.5758293035489004:Float64} * e + if(sample_count < 2, NULL, 0)'],
    ['min', 'toFloat64(least) * 8 / 1e6'],
    ['max', 'toFloat64(greatest) * 8 / 1e6'],
    ['median', 'levels[6] * 8 / 1e6'],
    ['percentiles', 'arrayMap(level -> level * 8 / 1e6, levels)'],
  ])
})

it('does not scale percentages', () => {
  expect(columns({ metric: 'packetLoss' }).slice(8, 12)).toEqual([
    ['min', 'toFloat64(least)'],
    ['max', 'toFloat64(greatest)'],
    ['median', 'levels[6]'],
    ['percentiles', 'arrayMap(level -> level, levels)'],
  ])
})

it('selects only the fields of the request', () => {
  expect(names({ fields: ['metricValue', 'median'] })).toEqual(['metricValue', 'median'])
})

it('gives reasons for caution with intervals by agents, and only with them', () => {
  expect(names({}).at(-1)).toBe('caution')
  expect(names({ fields: ['ci95'] })).toEqual(['ci95', 'caution'])
  expect(names({ fields: ['ci95'], intervals: 'results' })).toEqual(['ci95'])
  expect(names({ fields: ['metricValue', 'stdDev'] })).toEqual(['metricValue', 'stdDev'])
})

it('warns of few failures only if the metric is a share', () => {
  const caution = (metric: string): string => columns({ metric }).at(-1)?.[1] ?? ''
  expect(caution('packetLoss')).toContain("'few_failures'")
  expect(caution('httpget')).not.toContain("'few_failures'")
})

it('adds the uncertainty if the request includes it, with percentile intervals unless there are no percentiles', () => {
  const added = ['standardError', 'effectiveAgents', 'degreesOfFreedom', 'largestAgentShare', 'designEffect']
  const include = ['uncertainty'] as const
  expect(names({ include }).slice(12)).toEqual([...added, 'effectiveSampleSize', 'percentileIntervals', 'caution'])
  expect(names({ include, fields: ['metricValue'], percentiles: 'none' })).toEqual([
    'metricValue',
    ...added,
    'effectiveSampleSize',
    'caution',
  ])
})

it('has no percentile intervals of sketches or of normalised percentiles', () => {
  const intervals = (asked: Parameters<typeof planOf>[0]): string | undefined =>
    columns({ include: ['uncertainty'], ...asked }).find(([name]) => name === 'percentileIntervals')?.[1]
  expect(intervals({})).toContain('sorted_values')
  expect(intervals({ percentiles: 'sketch' })).toBe("CAST([], 'Array(Array(Nullable(Float64)))')")
  expect(intervals({ normalised: true })).toBe("CAST([], 'Array(Array(Nullable(Float64)))')")
})
