/** Columns that all test records have and that a sender may omit: the service derives them from the agent and the time. */
export const derivedColumns: readonly string[] = ['base', 'ddate', 'unit_id']
