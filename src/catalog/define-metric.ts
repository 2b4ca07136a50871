import type { Sql } from '../base/sql.ts'
import type { Measure } from './measure.ts'
import type { PrefilterRule } from './prefilter-rule.ts'

export type MetricDefinition = {
  /** As the specification and the decisions name it; the caller's `metric`. */
  readonly key: string
  readonly name: string
  readonly description: string
  readonly unit: 'mbps' | 'count' | 'ms' | '%' | 's' | 'MB'
  /** Key of the test whose rows it is computed from. */
  readonly test: string
  readonly measure: Measure
  /** Which of the test's rows it is about, when not all. */
  readonly rows?: Sql
  readonly prefilter: readonly PrefilterRule[]
  /** Dimensions of this metric alone, beside the standard ones. */
  readonly dimensions?: readonly string[]
  readonly higherIsBetter: boolean
  readonly aggregatedOnly: boolean
}

export const defineMetric = <const Definition extends MetricDefinition>(definition: Definition): Definition =>
  definition
