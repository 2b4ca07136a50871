import type { Catalog } from './catalog.ts'
import type { Entitlement, Grants } from './grants.ts'

/**
 * The part of the catalogue one caller may see and name. Listings and request checks both use it, so what is listed is
 * what is accepted.
 */
export function visibleTo(grants: Grants, catalog: Catalog): Catalog {
  const onTheirAgents = catalog.tests.filter((test) => test.kinds.some((kind) => grants.kinds.includes(kind)))
  const runnable = new Set(onTheirAgents.map((test) => test.key))
  return {
    tests: onTheirAgents.filter((test) => entitled(grants.tests, test.key)),
    // A metric is entitled by itself: a caller may be given a figure without the raw results behind it.
    metrics: catalog.metrics.filter((metric) => runnable.has(metric.test) && entitled(grants.metrics, metric.key)),
  }
}

const entitled = (entitlement: Entitlement, key: string): boolean => entitlement === 'all' || entitlement.includes(key)
