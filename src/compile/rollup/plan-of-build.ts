import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { zoneOffsets, type Zone } from '../metric/zone-offsets.ts'

/** Days of a panel's results of a test that are to be put together, on one node. */
export type RollupBuild = {
  readonly build: number
  readonly test: TestDefinition
  readonly panel: number
  /** Both included, counted from 1970. */
  readonly days: { readonly first: number; readonly last: number }
  /** For how many days after it a day is kept; null: for ever. */
  readonly keepDays: number | null
}

const daySeconds = 86_400

/** A whole day and more on either side: a day on the other side of the world is one too. */
const zoneMarginSeconds = 2 * daySeconds

/** As if somebody had asked for these days of the panel. */
export function planOfBuild(
  { test, panel, days }: RollupBuild,
  metric: MetricDefinition,
  prefilter: boolean,
  zones: readonly Zone[],
): MetricPlan {
  const [from, to] = [days.first * daySeconds, (days.last + 1) * daySeconds - 1]
  return {
    metric,
    test,
    panels: [panel],
    from,
    to,
    aggregation: null,
    normalised: false,
    prefilter,
    splits: [],
    filters: [],
    // While one is being erased, nothing of its panel is built.
    erased: [],
    percentiles: 'sketch',
    offsets: zoneOffsets(zones, from - zoneMarginSeconds, to + zoneMarginSeconds),
  }
}
