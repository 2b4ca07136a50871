import { sql, type Sql } from '../src/base/sql.ts'
import type { Column } from '../src/catalog/columns.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'
import { circumstances } from './circumstances.ts'
import { lineTraits } from './lines.ts'
import type { Columns } from './select.ts'

/** How results of a test come about: expressions over a result's circumstances (circumstances.ts, lines.ts). */
export type Synthesis = {
  readonly test: TestDefinition
  /** An agent tests at every so many hours of its schedule. */
  readonly everyHours: number
  /** Results an agent gives each time, one a minute; `turn` counts them from 0. */
  readonly turns: number
  /** A heavy tester runs this one every ten minutes, all day long. */
  readonly heavily: boolean
  /** Values that several columns are made of. */
  readonly steps: Columns
  /** A result gives as many rows as this array has members; each is the row's `part`. */
  readonly parts?: { readonly each: Sql; readonly about: number }
  /** One expression for every column of the test. Measured ones are null in a failed result. */
  readonly columns: Columns
  readonly measured: readonly string[]
}

type Definition = Omit<Synthesis, 'everyHours' | 'turns' | 'heavily' | 'measured' | 'columns'> & {
  readonly everyHours?: number
  readonly turns?: number
  readonly heavily?: boolean
  readonly always: Columns
  readonly measured: Columns
}

export function defineSynthesis({
  everyHours = 1,
  turns = 1,
  heavily = false,
  always,
  measured,
  ...rest
}: Definition): Synthesis {
  const shadowed = Object.keys(rest.steps).filter((name) => name in lineTraits || name in circumstances)
  if (shadowed.length > 0) throw new Error(`${rest.test.key}: steps have names of the line's: ${shadowed.join(', ')}`)
  const columns = { ...always, ...measured }
  const wanted = new Set(rest.test.columns.map(({ name }) => name))
  const difference = wanted.symmetricDifference(new Set(Object.keys(columns)))
  if (difference.size > 0)
    throw new Error(`${rest.test.key}: missing or unknown columns: ${[...difference].join(', ')}`)
  return { ...rest, everyHours, turns, heavily, columns, measured: Object.keys(measured) }
}

const whole: Record<Exclude<Column['type'], 'text'>, Sql> = {
  uint8: sql`toUInt8`,
  uint16: sql`toUInt16`,
  uint32: sql`toUInt32`,
  int64: sql`toInt64`,
}

/** A column's value in its own type. */
export function valueOf({ columns, measured }: Synthesis, { name, type }: Column): Sql {
  const value = columns[name] ?? sql`NULL`
  const typed = type === 'text' ? value : sql`${whole[type]}(round(${value}))`
  return measured.includes(name) ? sql`if(is_failed, NULL, ${typed})` : typed
}
