import { sql } from '../../base/sql.ts'
import type { MetricPlan } from './metric-plan.ts'
import { inUnit, type Spread } from './statistics.ts'

/** n·Σx² − (Σx)² of whole numbers is exact: nothing cancels out for values near 1e9 that differ by 1. */
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
      // Σ(a − R·d)² with R = Σa / Σd, times (Σd)²: in whole numbers for the same reason.
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

/** Every result counts once. */
export const plainSpread = (plan: MetricPlan): Spread =>
  plan.metric.measure.kind === 'value' ? ofValues(plan) : ofRatios
