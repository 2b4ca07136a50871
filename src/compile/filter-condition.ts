import { bind, identifier, sql, type Bound, type Sql } from '../base/sql.ts'
import { isNumeric } from '../catalog/dimensions.ts'
import type { MetricFilter } from '../check/metric-filters.ts'
import { dimensionValue } from './dimension-value.ts'

/** A filter whose ISPs and packages have been looked up in the catalogue. */
export type ResolvedFilter = MetricFilter & {
  readonly ids: readonly number[]
  /** What each value is called there, null where it is nothing; of other dimensions the values themselves. */
  readonly names: readonly (string | null)[]
}

/** Keeps rows with, or without, one of the values. A row without any value is never one of them, so `exclude` keeps it. */
export function filterCondition(database: string, filter: ResolvedFilter): Sql {
  const { source } = filter.dimension
  if (source.kind !== 'agent') return membership(dimensionValue(database, source).key, filter.type, boundValues(filter))
  // As a set of agents: the engine finds it once and skips what it need not read.
  const wanted = boundValues(filter)
  return membership(
    sql`agent`,
    filter.type,
    sql`(SELECT toUInt32(id) FROM ${identifier(database)}.agents WHERE ${identifier(source.attribute)} IN ${wanted})`,
  )
}

/** The same for sums, which have the values themselves. */
export const filterOfSums = (filter: ResolvedFilter, column: Sql): Sql =>
  membership(column, filter.type, boundValues(filter))

const membership = (value: Sql, type: MetricFilter['type'], set: Sql | Bound): Sql =>
  type === 'include' ? sql`${value} IN ${set}` : sql`ifNull(${value} NOT IN ${set}, true)`

function boundValues({ dimension: { source }, values, ids }: ResolvedFilter): Bound {
  if (source.kind === 'isp' || source.kind === 'package') return bind('Array(UInt32)', ids)
  return isNumeric(source) ? bind('Array(Int64)', wholeNumbers(values)) : bind('Array(String)', values)
}

/** Exact like texts: `08` and `8.0` are not 8, and what is no whole number is no value of any row. */
const wholeNumbers = (values: readonly string[]): number[] =>
  values
    .filter((value) => /^(0|-?[1-9]\d{0,15})$/.test(value))
    .map(Number)
    .filter(Number.isSafeInteger)
