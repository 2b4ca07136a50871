import type { MetricDefinition } from './define-metric.ts'
import type { TestDefinition } from './define-test.ts'
import { dimensions, type Dimension } from './dimensions.ts'
import { metrics } from './metrics/index.ts'
import { tests } from './tests/index.ts'

/** Everything that may be asked of the service, as data. What one caller may ask of it is `visibleTo`. */
export type Catalog = {
  readonly tests: readonly TestDefinition[]
  readonly metrics: readonly MetricDefinition[]
  readonly dimensions: readonly Dimension[]
}

export const catalog: Catalog = { tests, metrics, dimensions }

/** With the days results are kept, by key of their test; those without are kept for ever. */
export const keeping = (all: Catalog, days: ReadonlyMap<string, number>): Catalog => ({
  ...all,
  tests: all.tests.map((test) => {
    const keepDays = days.get(test.key)
    return keepDays === undefined ? test : { ...test, keepDays }
  }),
})
