import type { Catalog } from './catalog.ts'
import type { MetricDefinition } from './define-metric.ts'
import type { TestDefinition } from './define-test.ts'
import type { Dimension } from './dimensions.ts'
import type { Entitlement, Grants } from './grants.ts'

/** `metrics` lists the keys of the metrics that the dimension can be used with; null means all metrics. */
export type VisibleDimension = Dimension & { readonly metrics: readonly string[] | null }

export type VisibleCatalog = {
  readonly tests: readonly TestDefinition[]
  readonly metrics: readonly MetricDefinition[]
  readonly dimensions: readonly VisibleDimension[]
  /** The dimensions to filter test data by. They do not depend on the metrics that the caller may use. */
  readonly recordDimensions: readonly VisibleDimension[]
}

/**
 * Returns the part of the catalogue that a caller may use. Lists and request checks both use this part, so the API accepts
 * exactly what it lists.
 */
export function visibleTo(grants: Grants, catalog: Catalog): VisibleCatalog {
  const runnableTests = catalog.tests.filter((test) => overlap(test.kinds, grants.kinds))
  const runnableKeys = new Set(runnableTests.map((test) => test.key))
  // Metrics have their own entitlement: a caller may read a metric without being allowed to read the results that it is
  // computed from.
  const metrics = catalog.metrics.filter(
    (metric) => runnableKeys.has(metric.test) && entitled(grants.metrics, metric.key),
  )
  const dimensions = [...catalog.dimensions, ...customDimensions(grants)].filter(({ kinds }) =>
    overlap(kinds, grants.kinds),
  )
  return {
    tests: runnableTests.filter((test) => entitled(grants.tests, test.key)),
    metrics,
    dimensions: dimensions
      .map((dimension) => ({ ...dimension, metrics: metricsWith(dimension, metrics, catalog.tests) }))
      .filter((dimension) => metrics.length > 0 && dimension.metrics?.length !== 0),
    // The times of test data are in UTC.
    recordDimensions: dimensions
      .filter(({ source }) => source.kind !== 'clock')
      .map((dimension) => ({ ...dimension, metrics: null })),
  }
}

export const isAllowedWith = ({ metrics }: VisibleDimension, { key }: MetricDefinition): boolean =>
  metrics === null || metrics.includes(key)

/**
 * Returns the ids of the dimensions that describe how a result was measured, such as the test server. Unless a request splits
 * or filters by one of them, a point combines results with all its values.
 */
export const pooledBy = (metric: MetricDefinition, dimensions: readonly VisibleDimension[]): string[] =>
  dimensions
    .filter((dimension) => dimension.source.kind === 'column' && isAllowedWith(dimension, metric))
    .map(({ id }) => id)
    .filter((id) => metric.fixes?.includes(id) !== true)

function metricsWith(
  { id, source, onRequest = false }: Dimension,
  metrics: readonly MetricDefinition[],
  tests: readonly TestDefinition[],
): readonly string[] | null {
  if (source.kind !== 'column') return null
  const withColumn = new Set(
    tests.filter(({ columns }) => columns.some(({ name }) => name === source.column)).map(({ key }) => key),
  )
  return metrics
    .filter(({ test, dimensions = [] }) => withColumn.has(test) && (!onRequest || dimensions.includes(id)))
    .map(({ key }) => key)
}

/** The owner of a panel defines the custom fields. Every caller that may read the panel may use them as dimensions. */
function customDimensions({ customFields, kinds }: Grants): Dimension[] {
  const byKey = Map.groupBy(customFields, ({ key }) => key)
  return [...byKey].map(([key, fields]) => ({
    id: `custom.${key}`,
    name: key,
    kinds,
    source: { kind: 'custom', fields },
  }))
}

const overlap = (one: readonly string[], other: readonly string[]): boolean => one.some((kind) => other.includes(kind))

const entitled = (entitlement: Entitlement, key: string): boolean => entitlement === 'all' || entitlement.includes(key)
