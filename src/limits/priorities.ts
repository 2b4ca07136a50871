import type { QueryMeter } from '../base/audit.ts'
import { evictOldest } from '../base/evict-oldest.ts'
import { limits } from '../base/limits.ts'

export type Priorities = {
  /**
   * Returns the niceness of a query: 0 is the highest priority, 19 the lowest. `others` is how many other queries
   * the organisation runs.
   */
  readonly nicenessOf: (organisationId: number, others: number) => number
  readonly record: (organisationId: number, cost: Pick<QueryMeter, 'rowsRead' | 'engineMs'>) => void
}

const nicenessMax = 19
/** After a heavy query, each light query of the organisation reduces the organisation's expected rows by a fifth. */
const decay = 0.8

/**
 * Lowers the priority of a query with each query that its organisation already runs, unless the organisation's queries are
 * light. A light query reads few rows. The duration of a query does not matter: under high load, light queries take long too,
 * and would lose priority when they need it most.
 */
export function createPriorities(): Priorities {
  const expectedRows = new Map<number, number>()
  return {
    nicenessOf: (organisationId, others) =>
      (expectedRows.get(organisationId) ?? Infinity) < limits.lightQueryRows
        ? 0
        : Math.min(nicenessMax, others * limits.nicenessPerQuery),
    record: (organisationId, { rowsRead, engineMs }) => {
      // The cost of a query that never ran does not predict the cost of the next query.
      if (rowsRead === 0 && engineMs === 0) return
      // The rows are unknown for a failed query and for a stream. Count both as heavy: they may have read everything.
      const rows = rowsRead ?? limits.lightQueryRows
      expectedRows.set(organisationId, Math.max(rows, decay * (expectedRows.get(organisationId) ?? 0)))
      evictOldest(expectedRows)
    },
  }
}
