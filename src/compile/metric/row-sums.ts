import { sql } from '../../base/sql.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'

/** Sums over rows. Of whole numbers, in types that cannot overflow, so that what is made of them is exact. */
export function rowSums({ metric: { measure } }: MetricPlan): readonly Alias[] {
  if (measure.kind === 'value') {
    return [
      { name: 'total', value: sql`sum(toInt128(number))` },
      { name: 'squares', value: sql`sum(toInt256(toInt128(number) * number))` },
      { name: 'least', value: sql`min(number)` },
      { name: 'greatest', value: sql`max(number)` },
    ]
  }
  return [
    { name: 'numerators', value: sql`sum(toInt128(numerator))` },
    { name: 'denominators', value: sql`sum(toInt128(denominator))` },
    { name: 'numerator_squares', value: sql`sum(toInt256(toInt128(numerator) * numerator))` },
    { name: 'products', value: sql`sum(toInt256(toInt128(numerator) * denominator))` },
    { name: 'denominator_squares', value: sql`sum(toInt256(toInt128(denominator) * denominator))` },
    { name: 'mean', value: sql`avg(percentage)` },
    { name: 'variance', value: sql`varPopStable(percentage)` },
    { name: 'least', value: sql`min(percentage)` },
    { name: 'greatest', value: sql`max(percentage)` },
  ]
}
