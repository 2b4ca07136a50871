import type { AgentKind } from './agent-kinds.ts'
import type { Column } from './columns.ts'
import type { Schedule } from './schedules.ts'

export type TestDefinition = {
  /** As the specification names it; also the name of its table. */
  readonly key: string
  readonly name: string
  readonly description: string
  /** GET /tests has one list for each. */
  readonly family: 'unit' | 'mobile'
  /** Kinds of agent that run the test. A caller without such an agent does not see it. */
  readonly kinds: readonly AgentKind[]
  readonly schedule: Schedule
  /** Together with agent and `dtime`, what makes two stored rows the same result. */
  readonly identity: readonly string[]
  /** The test's own columns, in the order /test_data gives them after the common five. */
  readonly columns: readonly Column[]
  /** Where the operator keeps its results for so many days only. */
  readonly keepDays?: number
}

export function defineTest<const Definition extends TestDefinition>(definition: Definition): Definition {
  const names = new Set(definition.columns.map((column) => column.name))
  if (names.size !== definition.columns.length) throw new Error(`${definition.key}: a column is defined twice`)
  const unknown = definition.identity.filter((name) => !names.has(name))
  if (unknown.length > 0) throw new Error(`${definition.key}: identity names no column: ${unknown.join(', ')}`)
  return definition
}
