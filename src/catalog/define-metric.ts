import type { Sql } from '../base/sql.ts'
import type { Measure } from './measure.ts'
import type { PrefilterRule } from './prefilter-rule.ts'

export type MetricDefinition = {
  /** The value of `metric` in a request, and the name of the file. Keys that the specification names are fixed. */
  readonly key: string
  readonly name: string
  readonly description: string
  readonly unit: 'mbps' | 'count' | 'ms' | '%' | 's' | 'MB'
  /** Key of the test that the metric is computed from. */
  readonly test: string
  readonly measure: Measure
  /** Condition on the rows of the test. Absent if the metric uses all rows. */
  readonly rows?: Sql
  readonly prefilter: readonly PrefilterRule[]
  /** Ids of the dimensions that this metric has in addition to the standard ones. */
  readonly dimensions?: readonly string[]
  /** Ids of the dimensions that `rows` restricts to one value. The metric does not pool them. */
  readonly fixes?: readonly string[]
  /** Null if neither more nor less is better. */
  readonly higherIsBetter: boolean | null
  readonly aggregatedOnly: boolean
  /** The speed of a package that values can be relative to. Only metrics in `mbps` have one. */
  readonly plan?: 'download' | 'upload'
}

export const defineMetric = <const Definition extends MetricDefinition>(definition: Definition): Definition =>
  definition
