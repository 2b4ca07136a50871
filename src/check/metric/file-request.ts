import { FieldFaults } from '../field-faults.ts'
import type { AgentPoints } from './per-agent.ts'
import type { PointStatistics } from './point-statistics.ts'

type Asked = AgentPoints & Pick<PointStatistics, 'include'> & { readonly compare?: unknown }

/**
 * Refuses a request for a file with comparisons or exact intervals. ClickHouse writes the rows of a file, and only the service
 * can compute these. Without this check, a file would contain less than its request asks for.
 */
export function checkFileCanHave({ compare, perAgent, reaching, include }: Asked): void {
  const faults = new FieldFaults()
  for (const [name, value] of Object.entries({ compare, reaching })) {
    if (value !== undefined) faults.add(name, 'Files cannot contain this; POST /metric_data can.')
  }
  if (perAgent !== undefined && include.includes('uncertainty')) {
    faults.add('include', 'Files cannot contain "uncertainty" with "perAgent"; POST /metric_data can.')
  }
  faults.throwIfAny()
}
