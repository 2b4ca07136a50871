import { pointFields, type PointField } from '../../src/catalog/point-fields.ts'

type Body = Readonly<Record<string, unknown>>

/** Two requests that are compared, and the largest ratio of their CPU time that is acceptable, if there is one. */
export type Comparison = {
  readonly name: string
  readonly body: Body
  readonly than: Body
  readonly target: number | null
}

/** Two metrics of one test. */
const latencyAndLoss = ['latency', 'packetLoss']

const without = (...names: PointField[]): PointField[] => pointFields.filter((name) => !names.includes(name))

/** A request for which the first level does not group by agent: no number of agents, and intervals by results. */
const withoutAgents = (body: Body): Body => ({
  ...body,
  intervals: 'results',
  fields:
    body['percentiles'] === 'none'
      ? without('agentCount', 'unitCount', 'median', 'percentiles')
      : without('agentCount', 'unitCount'),
})

/** `from` and `to` are the first and the last day of the panel. */
export function comparisons(from: string, to: string): Comparison[] {
  const { days } = Temporal.PlainDate.from(from).until(to)
  const middle = Temporal.PlainDate.from(to).subtract({ days: Math.floor(days / 2) })
  const daily: Body = {
    metric: 'latency',
    chartType: 'aggregate',
    aggregation: 'daily',
    normalised: false,
    prefilter: false,
    splits: ['isp'],
    time: { from: `${from} 00:00:00`, to: `${to} 23:59:59` },
  }
  const none: Body = { ...daily, percentiles: 'none' }
  const twoMetrics = (name: string, body: Body): Comparison[] =>
    latencyAndLoss.map((metric) => ({
      name: `latency and packetLoss / ${metric}: ${name}`,
      body: { ...body, metric: null, metrics: latencyAndLoss },
      than: { ...body, metric },
      target: 1.3,
    }))
  const byAgents = (name: string, body: Body, target: number | null): Comparison => ({
    name: `agents / results: ${name}`,
    body,
    than: withoutAgents(body),
    target,
  })
  return [
    byAgents('daily, no percentiles', none, 1.15),
    byAgents('daily, exact percentiles', daily, 1.3),
    byAgents('daily, normalised, no percentiles', { ...none, normalised: true }, 1.2),
    byAgents('daily, normalised, exact percentiles', { ...daily, normalised: true }, 1.2),
    byAgents('hour of day, no percentiles', { ...none, aggregation: 'hour_of_day' }, 1.3),
    byAgents('hour of day, exact percentiles', { ...daily, aggregation: 'hour_of_day' }, 1.3),
    byAgents('hourly, no percentiles', { ...none, aggregation: 'hourly' }, null),
    {
      name: 'prefilter: explained / applied, no percentiles',
      body: { ...none, prefilter: true, include: ['prefilter'] },
      than: { ...none, prefilter: true },
      target: 1.15,
    },
    {
      name: 'prefilter: explained / applied, exact percentiles',
      body: { ...daily, prefilter: true, include: ['prefilter'] },
      than: { ...daily, prefilter: true },
      target: 1.15,
    },
    {
      name: 'coverage: with / without, no percentiles',
      body: { ...none, include: ['coverage'] },
      than: none,
      target: null,
    },
    {
      name: 'fields: without percentiles / all',
      body: { ...daily, fields: without('median', 'percentiles') },
      than: daily,
      target: 0.85,
    },
    {
      name: 'peak window: with / without, no percentiles',
      body: { ...none, window: { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] } },
      than: none,
      target: 1,
    },
    {
      name: 'percentile of each agent / of all results',
      body: { ...daily, perAgent: { statistic: 'percentile', level: 20 } },
      than: daily,
      target: 1.35,
    },
    {
      name: 'comparison with the previous period / both periods without',
      body: {
        ...none,
        aggregation: 'total',
        time: { from: `${String(middle)} 00:00:00`, to: `${to} 23:59:59` },
        compare: { previous: true },
      },
      than: { ...none, aggregation: 'total' },
      target: 1.2,
    },
    ...twoMetrics('daily, no percentiles', none),
    ...twoMetrics('daily, exact percentiles', daily),
    ...twoMetrics('total, no percentiles', { ...none, aggregation: 'total' }),
  ]
}
