import { FieldFaults } from '../field-faults.ts'
import type { AgentPoints } from './per-agent.ts'
import type { PointSelection } from './point-selection.ts'
import type { PointStatistics } from './point-statistics.ts'
import type { Totals } from './series/totals.ts'

type Asked = AgentPoints & PointSelection & Totals & Pick<PointStatistics, 'include'> & { readonly compare?: unknown }

/**
 * Refuses a request for a file with comparisons, exact intervals, totals or a selection of points. ClickHouse writes the rows of
 * a file, and only the service can compute or separate these. Without this check, a file would not contain what its request asks
 * for.
 */
export function checkFileCanHave({ compare, perAgent, reaching, include, having, order, limit, totals }: Asked): void {
  const faults = new FieldFaults()
  for (const [name, value] of Object.entries({ compare, reaching, having, order, limit, totals })) {
    if (value !== undefined) faults.add(name, 'Files cannot contain this; POST /metric_data can.')
  }
  if (perAgent !== undefined && include.includes('uncertainty')) {
    faults.add('include', 'Files cannot contain "uncertainty" with "perAgent"; POST /metric_data can.')
  }
  faults.throwIfAny()
}
