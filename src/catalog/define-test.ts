import type { AgentKind } from './agent-kinds.ts'
import type { Column } from './columns.ts'
import type { Schedule } from './schedules.ts'

export type TestDefinition = {
  /** The key in the specification; also the name of the table in ClickHouse. */
  readonly key: string
  readonly name: string
  readonly description: string
  /** GET /tests returns one list per family. */
  readonly family: 'unit' | 'mobile'
  /** Kinds of agent that run the test. A caller sees the test only if it can read an agent of one of these kinds. */
  readonly kinds: readonly AgentKind[]
  readonly schedule: Schedule
  /** Two rows are the same result if they have equal values of agent, `dtime` and these columns. */
  readonly identity: readonly string[]
  /** The columns of this test. /test_data returns them in this order, after the five columns that all tests have. */
  readonly columns: readonly Column[]
  /** Retention in days, if the operator has set one. */
  readonly keepDays?: number
}

export function defineTest<const Definition extends TestDefinition>(definition: Definition): Definition {
  const names = new Set(definition.columns.map((column) => column.name))
  if (names.size !== definition.columns.length) throw new Error(`${definition.key}: a column is defined twice`)
  const unknown = definition.identity.filter((name) => !names.has(name))
  if (unknown.length > 0) throw new Error(`${definition.key}: identity names no column: ${unknown.join(', ')}`)
  return definition
}
