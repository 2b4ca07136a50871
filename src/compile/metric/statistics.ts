import { join, sql, type Sql } from '../../base/sql.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'

/** Aliases that one SELECT computes from the aliases of earlier steps. */
export type Step = readonly Alias[]

/**
 * Returns a window function: `aggregate` over the rows with the same keys. With `upTo`, the window ends with the rows that
 * have the same `upTo` as the current row.
 */
export function over(aggregate: Sql, keys: readonly Sql[], upTo?: Sql): Sql {
  const partition = keys.length === 0 ? [] : [sql`PARTITION BY ${join(keys, ', ')}`]
  const order = upTo === undefined ? [] : [sql`ORDER BY ${upTo}`]
  return sql`(${aggregate} OVER (${join([...partition, ...order], ' ')}))`
}

/** Mean and deviation of a point, as expressions over its sums. */
export type Spread = {
  /** Intermediate steps. Each can use the aliases of the steps before it. */
  readonly steps: readonly Step[]
  readonly metricValue: Sql
  readonly deviation: Sql
  readonly standardError: Sql
}

/** Converts a stored number, or a statistic of stored numbers, to the unit of the metric. */
export function inUnit({ metric: { measure } }: MetricPlan, value: Sql): Sql {
  return measure.kind === 'value' ? measure.inUnit(value) : value
}

/** The value of a result as raw points have it. */
export const resultValue = (plan: MetricPlan): Sql =>
  plan.metric.measure.kind === 'value' ? inUnit(plan, sql`toFloat64(number)`) : sql`percentage`

/**
 * n·Σx² − (Σx)² is computed in whole numbers and therefore exact. With floating-point numbers, values near 1e9 that differ by 1
 * would cancel out.
 */
function ofValues(plan: MetricPlan): Spread {
  const deviation = inUnit(
    plan,
    sql`sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count`,
  )
  return {
    steps: [],
    metricValue: inUnit(plan, sql`toFloat64(total) / sample_count`),
    deviation,
    standardError: sql`${deviation} / sqrt(sample_count)`,
  }
}

const ofRatios: Spread = {
  steps: [
    [
      // Σ(a − R·d)² with R = Σa / Σd, multiplied by (Σd)² so that all terms are whole numbers and the sum is exact.
      {
        name: 'residuals',
        value: sql`toInt256(denominators) * denominators * numerator_squares - 2 * toInt256(numerators) * denominators * products + toInt256(numerators) * numerators * denominator_squares`,
      },
    ],
  ],
  metricValue: sql`100 * toFloat64(numerators) / toFloat64(denominators)`,
  deviation: sql`sqrt(variance)`,
  standardError: sql`100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators)`,
}

/** The statistics without normalisation: every result has the same weight. */
export const plainSpread = (plan: MetricPlan): Spread =>
  plan.metric.measure.kind === 'value' ? ofValues(plan) : ofRatios

/**
 * Null where the condition holds, otherwise the number. `if(condition, NULL, number)` would compute the number again for each
 * column that uses it: ClickHouse defers the branches of `if`, and computes them separately for each column.
 */
export const nullWhere = (condition: Sql, number: Sql): Sql => sql`${number} + if(${condition}, NULL, 0)`
