import type { MetricDefinition } from './define-metric.ts'
import type { TestDefinition } from './define-test.ts'
import { dimensions, type Dimension } from './dimensions.ts'
import { metrics } from './metrics/index.ts'
import { tests } from './tests/index.ts'

/** All tests, metrics and dimensions, as data. `visibleTo` selects those that one caller may use. */
export type Catalog = {
  readonly tests: readonly TestDefinition[]
  readonly metrics: readonly MetricDefinition[]
  readonly dimensions: readonly Dimension[]
}

export const catalog: Catalog = { tests, metrics, dimensions }

/**
 * Adds the retention to the tests. `days` maps the key of a test to its retention in days; results of other tests are kept
 * forever.
 */
export const keeping = (all: Catalog, days: ReadonlyMap<string, number>): Catalog => ({
  ...all,
  tests: all.tests.map((test) => {
    const keepDays = days.get(test.key)
    return keepDays === undefined ? test : { ...test, keepDays }
  }),
})
