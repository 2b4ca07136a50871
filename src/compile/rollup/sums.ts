import { identifier, sql, type Sql } from '../../base/sql.ts'
import type { Measure } from '../../catalog/measure.ts'
import { agentAttribute } from '../metric/dimension-value.ts'
import { binOf } from './sketch.ts'

/**
 * One of the sums that points are made of, in a form in which sums of days, panels and blocks can be added up: from rows,
 * from sums, and, at the end, the number itself.
 */
export type RolledSum = {
  readonly name: string
  readonly type: Sql
  readonly ofRows: Sql
  /** Over a column with such sums. */
  readonly ofSums: (column: Sql) => Sql
  readonly finally: (column: Sql) => Sql
}

type OfColumn = (column: Sql) => Sql
const sumOf: OfColumn = (column) => sql`sum(${column})`
const leastOf: OfColumn = (column) => sql`min(${column})`
const greatestOf: OfColumn = (column) => sql`max(${column})`
const countsOf: OfColumn = (column) => sql`sumMap(${column})`

const plain = (name: string, type: Sql, ofRows: Sql, ofSums: OfColumn): RolledSum => ({
  name,
  type,
  ofRows,
  ofSums,
  finally: ofSums,
})
const added = (name: string, type: Sql, ofRows: Sql): RolledSum => plain(name, type, ofRows, sumOf)
const least = (name: string, type: Sql, value: Sql): RolledSum => plain(name, type, leastOf(value), leastOf)
const greatest = (name: string, type: Sql, value: Sql): RolledSum => plain(name, type, greatestOf(value), greatestOf)

/** Of whole numbers, in types that cannot overflow: what is made of them is exact, whichever way they were added up. */
const valueSums: readonly RolledSum[] = [
  added('total', sql`Int128`, sql`sum(toInt128(number))`),
  added('squares', sql`Int256`, sql`sum(toInt256(toInt128(number) * number))`),
  least('least', sql`Int64`, sql`number`),
  greatest('greatest', sql`Int64`, sql`number`),
]

const ratioSums: readonly RolledSum[] = [
  added('numerators', sql`Int128`, sql`sum(toInt128(numerator))`),
  added('denominators', sql`Int128`, sql`sum(toInt128(denominator))`),
  added('numerator_squares', sql`Int256`, sql`sum(toInt256(toInt128(numerator) * numerator))`),
  added('products', sql`Int256`, sql`sum(toInt256(toInt128(numerator) * denominator))`),
  added('denominator_squares', sql`Int256`, sql`sum(toInt256(toInt128(denominator) * denominator))`),
  {
    name: 'mean',
    type: sql`AggregateFunction(avg, Float64)`,
    ofRows: sql`avgState(percentage)`,
    ofSums: (column) => sql`avgMergeState(${column})`,
    finally: (column) => sql`avgMerge(${column})`,
  },
  {
    // Squares of percentages would lose what is left of them when nearly all are the same.
    name: 'variance',
    type: sql`AggregateFunction(varPopStable, Float64)`,
    ofRows: sql`varPopStableState(percentage)`,
    ofSums: (column) => sql`varPopStableMergeState(${column})`,
    finally: (column) => sql`varPopStableMerge(${column})`,
  },
  least('least_percentage', sql`Float64`, sql`percentage`),
  greatest('greatest_percentage', sql`Float64`, sql`percentage`),
]

export const results: RolledSum = added('results', sql`UInt64`, sql`count()`)

const distinct = (name: string, ofRows: Sql): RolledSum => ({
  name,
  type: sql`AggregateFunction(groupBitmap, UInt32)`,
  ofRows,
  ofSums: (column) => sql`groupBitmapMergeState(${column})`,
  finally: (column) => sql`groupBitmapMerge(${column})`,
})

export const distinctAgents = distinct('agents', sql`groupBitmapState(agent)`)
export const distinctUnits = (database: string): RolledSum =>
  distinct('units', sql`groupBitmapStateIf(agent, isNotNull(${agentAttribute(database, 'unit_id', sql`agent`)}))`)

/** What a rollup keeps for a metric of one kind, beside results, agents and units. */
export const measureSums = (kind: Measure['kind']): readonly RolledSum[] => (kind === 'value' ? valueSums : ratioSums)

export function sketchSum(kind: Measure['kind']): RolledSum {
  const value = kind === 'value' ? sql`number` : sql`percentage`
  const ofRows = sql`sumMap([${binOf(value)}], [toUInt64(1)])`
  return plain('sketch', sql`Tuple(Array(Int32), Array(UInt64))`, ofRows, countsOf)
}

/** Every column of sums; each row has those of its metric's kind. */
export const sumColumns = (database: string): readonly RolledSum[] => [
  results,
  ...valueSums,
  ...ratioSums,
  distinctAgents,
  distinctUnits(database),
  sketchSum('value'),
]

export const columnOf = ({ name }: RolledSum): Sql => identifier(name)

/** Sums of a cell have names of their own: a level that gives a sum its column's name could not use the column. */
export const cellName = ({ name }: RolledSum): string => `cell_${name}`
