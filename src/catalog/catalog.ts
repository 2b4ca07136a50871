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
