import type { Sql } from '../base/sql.ts'

export type MetricDefinition = {
  /** As the specification and the decisions name it; the caller's `metric`. */
  readonly key: string
  readonly name: string
  readonly description: string
  readonly unit: 'mbps' | 'count' | 'ms' | '%' | 's' | 'MB'
  /** Key of the test whose rows it is computed from. */
  readonly test: string
  /** One row's value, over the columns of the test's table. */
  readonly value: Sql
  readonly higherIsBetter: boolean
  readonly aggregatedOnly: boolean
}

export const defineMetric = <const Definition extends MetricDefinition>(definition: Definition): Definition =>
  definition
