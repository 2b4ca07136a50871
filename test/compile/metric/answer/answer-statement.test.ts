import { expect, it } from 'vitest'
import { statement } from '../../../../src/base/sql.ts'
import { flatColumns } from '../../../../src/compile/export/flat-columns.ts'
import { metricFileName } from '../../../../src/compile/export/export-file.ts'
import { exportFormats } from '../../../../src/catalog/export-formats.ts'
import { pointStatement } from '../../../../src/compile/metric/aggregate.ts'
import { answerStatement } from '../../../../src/compile/metric/answer/answer-statement.ts'
import { changedPlan, type MetricPlan } from '../../../../src/compile/metric/metric-plan.ts'
import { aggregationOf, planOf } from '../../plans.ts'

const several = (keys: readonly string[], splits: readonly string[] = []): MetricPlan => {
  const each = keys.map((metric) => planOf({ metric, splits }))
  return { ...planOf({ splits }), each }
}
const compiled = (plan: MetricPlan, pointsMax: number | null = 10) =>
  answerStatement('bg', plan, aggregationOf('daily'), pointsMax)

it('is the statement of the metric if the request names one', () => {
  const plan = planOf({ splits: ['isp'] })
  expect(statement(compiled(plan).query)).toEqual(
    statement(pointStatement('bg', plan, aggregationOf('daily'), 10).query),
  )
})

it('limits and orders the points of all metrics together', () => {
  const { columns, query } = compiled(several(['latency', 'httpget'], ['isp']))
  const { text, params } = statement(query)
  expect(columns.slice(0, 4)).toEqual(['metric', 'shown_split1', 'dtime', 'metricValue'])
  expect(text.match(/LIMIT/g)).toHaveLength(3)
  const order =
    /ORDER BY indexOf\(\{(p\d+):Array\(String\)\}, metric\), shown_split1 ASC NULLS LAST, dtime\nLIMIT \{(p\d+):UInt32\}$/
  const [, keys = '', limit = ''] = order.exec(text) ?? []
  expect([params[keys], params[limit]]).toEqual([['latency', 'httpget'], 11])
})

it('has the metric before the splits in formats without nested values', () => {
  const plan = several(['latency', 'httpget'], ['isp'])
  const flat = flatColumns(plan, compiled(plan).columns)
  const at = flat.findIndex(({ id }) => id === 'metric')
  expect(flat[at]).toEqual({ id: 'metric', kind: 'label', index: 0 })
  expect(flat[at + 1]).toMatchObject({ id: 'isp', index: 1 })
  expect(flat.find(({ id }) => id === 'dtime')).toMatchObject({ index: 2 })
})

it('names at most three metrics in the name of a file', () => {
  const [csv] = exportFormats
  if (csv === undefined) throw new Error('there is no format')
  expect(metricFileName(several(['latency', 'httpget']), csv)).toBe('latency_httpget_daily_2026-01-01_2026-01-31.csv')
  expect(metricFileName(several(['latency', 'httpget', 'packetLoss', 'ping']), csv)).toMatch(/^4_metrics_daily_/)
})

it('changes the plans of all metrics', () => {
  const { percentiles, each = [] } = changedPlan(several(['latency', 'httpget']), { percentiles: 'none' })
  expect([percentiles, ...each.map((one) => one.percentiles)]).toEqual(['none', 'none', 'none'])
})
