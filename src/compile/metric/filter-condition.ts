import { bind, literal, sql, type Bound, type Sql } from '../../base/sql.ts'
import { isNumeric } from '../../catalog/dimensions.ts'
import { peakValues } from '../../catalog/local-window.ts'
import type { MetricFilter } from '../../check/metric/metric-filters.ts'
import { agentAttribute, dimensionValue } from './dimension-value.ts'

/** A filter after the names of ISPs and packages have been resolved to numbers (`ids`). */
export type ResolvedFilter = MetricFilter & {
  readonly ids: readonly number[]
  /**
   * For each value, the name of the ISP or package that the value was resolved to, or null if no ISP or package has this name.
   * For other dimensions, the values themselves.
   */
  readonly names: readonly (string | null)[]
}

/** The condition that a row must satisfy to match the filter. With `exclude`, rows without a value match. */
export function filterCondition(database: string, filter: ResolvedFilter): Sql {
  const { source } = filter.dimension
  const wanted = boundValues(filter)
  if (source.kind === 'agent' && (source.attribute === 'agent_id' || source.attribute === 'unit_id')) {
    return membership(sql`agent`, filter.type, agentsWith(database, source.attribute, wanted))
  }
  return membership(dimensionValue(database, source).key, filter.type, wanted)
}

/**
 * Returns the condition of `filterCondition` without a subquery. ClickHouse cannot group by an expression that contains a subquery if the table is
 * distributed: each node gives the set of the subquery another name.
 */
export function groupableCondition(database: string, filter: ResolvedFilter): Sql {
  const { source } = filter.dimension
  if (source.kind !== 'agent') return filterCondition(database, filter)
  return membership(agentAttribute(database, source.attribute, sql`agent`), filter.type, boundValues(filter))
}

/**
 * Selects the numbers of the agents with these values. A value belongs to at most one agent, so the set is small. ClickHouse
 * evaluates the set only once, and uses it to skip granules. The condition uses `dictGetKeys`, because the database users of
 * callers may not SELECT from a dictionary.
 */
export const agentsWith = (database: string, attribute: 'agent_id' | 'unit_id', values: Bound): Sql =>
  sql`(SELECT toUInt32(arrayJoin(dictGetKeys(${literal(`${database}.agents`)}, ${literal(attribute)}, arrayJoin(${values})))))`

/** The condition of a filter for rows that have the key of the dimension as a column, such as the rows of rollups. */
export const keyFilter = (filter: ResolvedFilter, column: Sql): Sql =>
  membership(column, filter.type, boundValues(filter))

const membership = (value: Sql, type: MetricFilter['type'], set: Sql | Bound): Sql =>
  type === 'include' ? sql`${value} IN ${set}` : sql`ifNull(${value} NOT IN ${set}, true)`

function boundValues({ dimension: { source }, values, ids }: ResolvedFilter): Bound {
  if (source.kind === 'isp' || source.kind === 'package') return bind('Array(UInt32)', ids)
  if (source.kind === 'clock' && source.element === 'peak') return bind('Array(UInt8)', peakNumbers(values))
  return isNumeric(source) ? bind('Array(Int64)', wholeNumbers(values)) : bind('Array(String)', values)
}

const peakNumbers = (values: readonly string[]): number[] =>
  [0, 1].filter((number) => values.some((value) => value === peakValues[number]))

/** Numbers must match exactly, like texts: `08` and `8.0` are not 8. A text that is not a whole number matches no row. */
const wholeNumbers = (values: readonly string[]): number[] =>
  values
    .filter((value) => /^(0|-?[1-9]\d{0,15})$/.test(value))
    .map(Number)
    .filter(Number.isSafeInteger)
