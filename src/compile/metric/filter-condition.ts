import { bind, literal, sql, type Bound, type Sql } from '../../base/sql.ts'
import { isNumeric } from '../../catalog/dimensions.ts'
import type { MetricFilter } from '../../check/metric/metric-filters.ts'
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
  const wanted = boundValues(filter)
  if (source.kind === 'agent' && (source.attribute === 'agent_id' || source.attribute === 'unit_id')) {
    return membership(sql`agent`, filter.type, agentsWith(database, source.attribute, wanted))
  }
  return membership(dimensionValue(database, source).key, filter.type, wanted)
}

/**
 * One agent a value at most, so as a set: the engine finds it once and skips what it need not read. Callers' users may not
 * SELECT from a dictionary.
 */
const agentsWith = (database: string, attribute: 'agent_id' | 'unit_id', values: Bound): Sql =>
  sql`(SELECT toUInt32(arrayJoin(dictGetKeys(${literal(`${database}.agents`)}, ${literal(attribute)}, arrayJoin(${values})))))`

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
