import { sql, type Sql } from '../src/base/sql.ts'
import type { Column } from '../src/catalog/columns.ts'
import { circumstances, type Runs } from './circumstances.ts'
import { lineTraits } from './lines.ts'
import type { Columns } from './select.ts'

/** How the results of a test are generated: expressions over the columns of circumstances.ts and lines.ts. */
export type Synthesis = Runs & {
  /** With the value n, an agent tests in every nth hour of its schedule. */
  readonly everyHours: number
  /** If true, heavy testers run this test in every hour, and the panel's outlier every ten minutes. */
  readonly heavily: boolean
  /** Intermediate values that several columns use. */
  readonly steps: Columns
  /**
   * Present if a result has several rows, such as the hops of a traceroute. `each` is an array with one member per row; the
   * column `part` contains the member. `about` is the usual number of members.
   */
  readonly parts?: { readonly each: Sql; readonly about: number }
  /** One expression per column of the test. Measured columns are null in a failed result. */
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
  const own = circumstances({ turns, ...rest })
  const shadowed = Object.keys(rest.steps).filter((name) => name in lineTraits || name in own)
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

/** A column's value, cast to the column's type. */
export function valueOf({ columns, measured }: Synthesis, { name, type }: Column): Sql {
  const value = columns[name] ?? sql`NULL`
  const typed = type === 'text' ? value : sql`${whole[type]}(round(${value}))`
  return measured.includes(name) ? sql`if(is_failed, NULL, ${typed})` : typed
}
