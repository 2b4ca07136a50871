import { identifier, sql, type Sql } from '../../base/sql.ts'
import { counted, type Measure } from '../../catalog/measure.ts'
import { agentAttribute } from '../metric/dimension-value.ts'
import { isWide, squareOfNumber } from '../metric/samples.ts'
import { binOf } from './sketch.ts'

/**
 * An aggregate that points are computed from, in a form that can be merged.
 *
 * - `ofRows`: computes the aggregate from results.
 * - `ofRollup`: merges stored aggregates of days, panels and blocks.
 * - `finally`: computes the final number.
 */
export type RolledSum = {
  readonly name: string
  readonly type: Sql
  readonly ofRows: Sql
  /** Merges a column of aggregates into one aggregate. */
  readonly ofRollup: (column: Sql) => Sql
  readonly finally: (column: Sql) => Sql
}

type OfColumn = (column: Sql) => Sql
const sumOf: OfColumn = (column) => sql`sum(${column})`
const leastOf: OfColumn = (column) => sql`min(${column})`
const greatestOf: OfColumn = (column) => sql`max(${column})`
const countsOf: OfColumn = (column) => sql`sumMap(${column})`

const plain = (name: string, type: Sql, ofRows: Sql, ofRollup: OfColumn): RolledSum => ({
  name,
  type,
  ofRows,
  ofRollup,
  finally: ofRollup,
})
const added = (name: string, type: Sql, ofRows: Sql): RolledSum => plain(name, type, ofRows, sumOf)
const least = (name: string, type: Sql, value: Sql): RolledSum => plain(name, type, leastOf(value), leastOf)
const greatest = (name: string, type: Sql, value: Sql): RolledSum => plain(name, type, greatestOf(value), greatestOf)

/** Sums of whole numbers, in types that cannot overflow. They are exact in any order of addition. */
const valueSums = (measure: Measure): readonly RolledSum[] => [
  added('total', sql`Int128`, sql`sum(toInt128(number))`),
  added('squares', sql`Int256`, sql`sum(${squareOfNumber(measure)})`),
]

const extremes: readonly RolledSum[] = [
  least('least', sql`Int64`, sql`number`),
  greatest('greatest', sql`Int64`, sql`number`),
]

/** The extremes of metrics whose numbers need more than 64 bits. */
const wideExtremes: readonly RolledSum[] = [
  least('least_wide', sql`Int128`, sql`number`),
  greatest('greatest_wide', sql`Int128`, sql`number`),
]

const ratioColumns: readonly RolledSum[] = [
  added('numerators', sql`Int128`, sql`sum(toInt128(numerator))`),
  added('denominators', sql`Int128`, sql`sum(toInt128(denominator))`),
  added('numerator_squares', sql`Int256`, sql`sum(toInt256(toInt128(numerator) * numerator))`),
  added('products', sql`Int256`, sql`sum(toInt256(toInt128(numerator) * denominator))`),
  added('denominator_squares', sql`Int256`, sql`sum(toInt256(toInt128(denominator) * denominator))`),
  {
    name: 'mean',
    type: sql`AggregateFunction(avg, Float64)`,
    ofRows: sql`avgState(percentage)`,
    ofRollup: (column) => sql`avgMergeState(${column})`,
    finally: (column) => sql`avgMerge(${column})`,
  },
  {
    // Uses `varPopStable`, because sums of squared percentages would lose precision when nearly all percentages are equal.
    name: 'variance',
    type: sql`AggregateFunction(varPopStable, Float64)`,
    ofRows: sql`varPopStableState(percentage)`,
    ofRollup: (column) => sql`varPopStableMergeState(${column})`,
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
  ofRollup: (column) => sql`groupBitmapMergeState(${column})`,
  finally: (column) => sql`groupBitmapMerge(${column})`,
})

export const distinctAgents = distinct('agents', sql`groupBitmapState(agent)`)
export const distinctUnits = (database: string): RolledSum =>
  distinct('units', sql`groupBitmapStateIf(agent, isNotNull(${agentAttribute(database, 'unit_id', sql`agent`)}))`)

/** The aggregates that a rollup stores for a metric, in addition to the numbers of results, agents and units. */
export const measureColumns = (measure: Measure): readonly RolledSum[] =>
  measure.kind === 'ratio' ? ratioColumns : [...valueSums(measure), ...(isWide(measure) ? wideExtremes : extremes)]

export function sketchSum(kind: Measure['kind']): RolledSum {
  const value = kind === 'value' ? sql`number` : sql`percentage`
  const ofRows = sql`sumMap([${binOf(value)}], [toUInt64(1)])`
  return plain('sketch', sql`Tuple(Array(Int32), Array(UInt64))`, ofRows, countsOf)
}

/** Any measure of the kind `value`: the types and the merging of the columns are the same for each of them. */
const anyValue = counted(sql`number`)

/** All columns with aggregates. Each row uses the columns for the kind of its metric. */
export const sumColumns = (database: string): readonly RolledSum[] => [
  results,
  ...valueSums(anyValue),
  ...extremes,
  ...wideExtremes,
  ...ratioColumns,
  distinctAgents,
  distinctUnits(database),
  sketchSum('value'),
]

export const columnOf = ({ name }: RolledSum): Sql => identifier(name)

/**
 * The name of a cell differs from the name of its column. If a SELECT gave an aggregate the name of its column, ClickHouse
 * could not read the column.
 */
export const cellName = ({ name }: RolledSum): string => `cell_${name}`
