import type { Catalog } from './catalog.ts'
import type { MetricDefinition } from './define-metric.ts'
import type { TestDefinition } from './define-test.ts'
import type { Dimension } from './dimensions.ts'
import type { Entitlement, Grants } from './grants.ts'

/** A dimension, and the keys of the metrics it can be asked with; null stands for all. */
export type VisibleDimension = Dimension & { readonly metrics: readonly string[] | null }

export type VisibleCatalog = {
  readonly tests: readonly TestDefinition[]
  readonly metrics: readonly MetricDefinition[]
  readonly dimensions: readonly VisibleDimension[]
}

/**
 * The part of the catalogue one caller may see and name. Listings and request checks both use it, so what is listed is
 * what is accepted.
 */
export function visibleTo(grants: Grants, catalog: Catalog): VisibleCatalog {
  const onTheirAgents = catalog.tests.filter((test) => overlap(test.kinds, grants.kinds))
  const runnable = new Set(onTheirAgents.map((test) => test.key))
  // A metric is entitled by itself: a caller may be given a figure without the raw results behind it.
  const metrics = catalog.metrics.filter((metric) => runnable.has(metric.test) && entitled(grants.metrics, metric.key))
  return {
    tests: onTheirAgents.filter((test) => entitled(grants.tests, test.key)),
    metrics,
    dimensions: [...catalog.dimensions, ...customDimensions(grants)]
      .filter(({ kinds }) => overlap(kinds, grants.kinds))
      .map((dimension) => ({ ...dimension, metrics: metricsWith(dimension, metrics, catalog.tests) }))
      .filter((dimension) => metrics.length > 0 && dimension.metrics?.length !== 0),
  }
}

export const canBeAskedWith = ({ metrics }: VisibleDimension, { key }: MetricDefinition): boolean =>
  metrics === null || metrics.includes(key)

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

/** The owner of a panel names its custom fields; whoever may read the panel may ask by them. */
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
