import { aggregations, type Aggregation } from '../../src/catalog/aggregations.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { MetricDefinition } from '../../src/catalog/define-metric.ts'
import type { TestDefinition } from '../../src/catalog/define-test.ts'
import { percentileFields, pointFields } from '../../src/catalog/point-fields.ts'
import { visibleTo, type VisibleDimension } from '../../src/catalog/visible.ts'
import { metricPlan, type MetricPlan } from '../../src/compile/metric/metric-plan.ts'
import type { ResolvedFilter } from '../../src/compile/metric/filter-condition.ts'
import type { Zone } from '../../src/compile/metric/clock/zone-offsets.ts'

/**
 * A caller that may see everything. The custom field `region` exists on two panels and has a different number on each.
 */
export const visible = visibleTo(
  {
    panels: [],
    kinds: ['whitebox', 'cpe', 'mobile', 'web'],
    tests: 'all',
    metrics: 'all',
    customFields: [
      { panel: 3, key: 'region', field: 11 },
      { panel: 7, key: 'region', field: 12 },
    ],
    erased: [],
  },
  catalog,
)

function found<One>(one: One | undefined, name: string): One {
  if (one === undefined) throw new Error(`there is no ${name}`)
  return one
}

export const testOf = (key: string): TestDefinition =>
  found(
    catalog.tests.find((one) => one.key === key),
    key,
  )
export const metricOf = (key: string): MetricDefinition =>
  found(
    catalog.metrics.find((one) => one.key === key),
    key,
  )
export const aggregationOf = (key: Aggregation['key']): Aggregation =>
  found(
    aggregations.find((one) => one.key === key),
    key,
  )
export const dimensionOf = (id: string): VisibleDimension =>
  found(
    visible.dimensions.find((one) => one.id === id),
    id,
  )

export const secondOf = (utc: string): number => Temporal.Instant.from(utc).epochMilliseconds / 1000

type Asked = Partial<Omit<MetricPlan, 'metric' | 'aggregation' | 'splits' | 'filters'>> & {
  metric?: string
  aggregation?: Aggregation['key'] | null
  splits?: readonly string[]
  filters?: readonly ResolvedFilter[]
  zones?: readonly Zone[]
}

/** The plan of a daily request for January 2026 on panels 3 and 7. The arguments replace these defaults. */
export function planOf({
  metric = 'httpget',
  aggregation = 'daily',
  splits = [],
  filters = [],
  zones = [],
  ...more
}: Asked = {}): MetricPlan {
  const request = {
    metric: metricOf(metric),
    panels: [3, 7],
    from: secondOf('2026-01-01T00:00:00Z'),
    to: secondOf('2026-01-31T23:59:59Z'),
    aggregation: aggregation === null ? null : aggregationOf(aggregation),
    normalised: false,
    prefilter: false,
    splits: splits.map(dimensionOf),
    filters: [],
    percentiles: 'exact',
    fields: pointFields.filter((name) => more.percentiles !== 'none' || !percentileFields.includes(name)),
    intervals: 'agents',
    include: [],
    ...more,
  } as const
  return { ...metricPlan(request, catalog, zones, filters, [], more.compare ?? null), ...more }
}
