import { bind, join, literal, named, sql, type Bound, type Sql } from '../../base/sql.ts'
import { isNumeric, type DimensionSource } from '../../catalog/dimensions.ts'
import {
  isListFilter,
  isNumberFilter,
  isPresenceFilter,
  isTextFilter,
  type FilterType,
} from '../../catalog/filter-types.ts'
import { peakValues } from '../../catalog/local-window.ts'
import type { FilterLeaf, FilterTree } from '../../check/metric/filters/filter-tree.ts'
import { decimalNumber } from '../../check/metric/filters/filter-values.ts'
import { agentAttribute, dimensionValue } from './dimension-value.ts'

/**
 * A leaf after the names and patterns of ISPs and packages have been resolved to numbers (`ids`). Leaves of dimensions by
 * local time have been resolved to lists of values: their type is `include` or `exclude`.
 */
export type ResolvedLeaf = FilterLeaf & {
  readonly ids: readonly number[]
  /**
   * For each value, the name of the ISP or package that the value was resolved to, or null if no ISP or package has this name.
   * For other dimensions, the values themselves.
   */
  readonly names: readonly (string | null)[]
}

export type ResolvedFilter = FilterTree<ResolvedLeaf>

/**
 * Joins the conditions of the leaves. A condition on a missing value is false or null. Null counts as false, so that `not` is
 * then true; `exclude` is true too.
 */
export function treeCondition(filter: ResolvedFilter, ofLeaf: (leaf: ResolvedLeaf) => Sql): Sql {
  if (filter.kind === 'leaf') return ofLeaf(filter)
  if (filter.kind === 'not') return sql`NOT ifNull(${treeCondition(filter.of, ofLeaf)}, 0)`
  const conditions = filter.of.map((one) => treeCondition(one, ofLeaf))
  return sql`(${join(conditions, filter.kind === 'all' ? ' AND ' : ' OR ')})`
}

/** The condition that a row must satisfy to match the filter. With `exclude`, rows without a value match. */
export const filterCondition = (database: string, filter: ResolvedFilter): Sql =>
  treeCondition(filter, (leaf) => {
    const { source } = leaf.dimension
    const isOneAgent = source.kind === 'agent' && (source.attribute === 'agent_id' || source.attribute === 'unit_id')
    return isOneAgent && isListFilter(leaf.type)
      ? membership(sql`agent`, leaf.type, agentsWith(database, source.attribute, boundValues(leaf)))
      : ofRow(database, leaf)
  })

/**
 * Returns the condition of `filterCondition` without a subquery. ClickHouse cannot group by an expression that contains a subquery if the table is
 * distributed: each node gives the set of the subquery another name.
 */
export const groupableCondition = (database: string, filter: ResolvedFilter): Sql =>
  treeCondition(filter, (leaf) => {
    const { source } = leaf.dimension
    return source.kind === 'agent' && isListFilter(leaf.type)
      ? leafCondition(leaf, agentAttribute(database, source.attribute, sql`agent`))
      : ofRow(database, leaf)
  })

function ofRow(database: string, leaf: ResolvedLeaf): Sql {
  const { key, shown } = dimensionValue(database, leaf.dimension.source)
  return leafCondition(leaf, key, shown(key))
}

/**
 * Selects the numbers of the agents with these values. A value belongs to at most one agent, so the set is small. ClickHouse
 * evaluates the set only once, and uses it to skip granules. The condition uses `dictGetKeys`, because the database users of
 * callers may not SELECT from a dictionary.
 */
export const agentsWith = (database: string, attribute: 'agent_id' | 'unit_id', values: Bound): Sql =>
  sql`(SELECT toUInt32(arrayJoin(dictGetKeys(${literal(`${database}.agents`)}, ${literal(attribute)}, arrayJoin(${values})))))`

/** The condition of a filter for rows that have the key of the dimension as a column, such as the rows of rollups. */
export const keyFilter = (leaf: ResolvedLeaf, column: Sql): Sql => leafCondition(leaf, column)

/** `shown` is the value that the points show, if it is another expression than `key`. */
function leafCondition(leaf: ResolvedLeaf, key: Sql, shown: Sql = key): Sql {
  const { source } = leaf.dimension
  const { type, values } = leaf
  const isNamed = source.kind === 'isp' || source.kind === 'package'
  if (isPresenceFilter(type)) {
    if (isNamed) return type === 'is_set' ? sql`${key} != 0` : sql`${key} = 0`
    return type === 'is_set' ? sql`isNotNull(${key})` : sql`isNull(${key})`
  }
  if (isNumberFilter(type))
    return sql`${numberOf(source, key)} ${comparisons[type]} ${bind('Float64', Number(values[0]))}`
  if (isTextFilter(type) && !isNamed) return textCondition(leaf, textOf(source, shown))
  return membership(key, isTextFilter(type) ? 'include' : type, boundValues(leaf))
}

const comparisons = { at_least: sql`>=`, above: sql`>`, at_most: sql`<=`, below: sql`<` }

/** The number of a value. A custom value that is no decimal number has none. */
const numberOf = ({ kind }: DimensionSource, key: Sql): Sql =>
  kind === 'custom'
    ? named('t', key, (text) => sql`if(match(${text}, ${literal(decimalNumber)}), toFloat64OrNull(${text}), NULL)`)
    : key

/** The text that a response shows. Stored texts can contain invalid UTF-8, which a response replaces. */
function textOf(source: DimensionSource, shown: Sql): Sql {
  if (source.kind !== 'column') return shown
  return source.number ? sql`toString(${shown})` : sql`toValidUTF8(${shown})`
}

/** True if the text matches one of the values of the filter. */
export function textCondition({ type, values }: Pick<FilterLeaf, 'type' | 'values'>, text: Sql): Sql {
  const [only, ...others] = values
  if (type === 'matches') {
    // ClickHouse compiles constant patterns once.
    const patterns = (subject: Sql) => values.map((pattern) => sql`match(${subject}, ${bind('String', pattern)})`)
    if (others.length === 0) return join(patterns(text), ' OR ')
    return named('t', text, (subject) => join(patterns(subject), ' OR '))
  }
  const test = (value: Sql | Bound): Sql => {
    if (type === 'contains') return sql`position(${text}, ${value}) > 0`
    return type === 'starts_with' ? sql`startsWith(${text}, ${value})` : sql`endsWith(${text}, ${value})`
  }
  if (only !== undefined && others.length === 0) return test(bind('String', only))
  return sql`arrayExists(v -> ${test(sql`v`)}, ${bind('Array(String)', values)})`
}

const membership = (value: Sql, type: FilterType, set: Sql | Bound): Sql =>
  type === 'include' ? sql`${value} IN ${set}` : sql`ifNull(${value} NOT IN ${set}, true)`

function boundValues({ dimension: { source }, values, ids }: ResolvedLeaf): Bound {
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
