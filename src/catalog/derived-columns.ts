/** Common columns of a test record that a result need not have when it is sent: they follow from its agent and its time. */
export const derivedColumns: readonly string[] = ['base', 'ddate', 'unit_id']
