import { identifier, literal, sql, type Sql } from '../../base/sql.ts'

/**
 * Metadata of a fact row as of its measurement, as expressions over its columns `agent` and `dtime`.
 *
 * Every dictionary has a small twin with what has changed lately. Each call below reads one version of one dictionary, and
 * any mix of versions gives the row's old or its new value: whole timelines are in one row, spans never change, and a span
 * stays where it is for longer than a query runs between two calls.
 */
const lookUp = (database: string, dictionary: string, attributes: Sql, key: Sql, how = sql`dictGet`): Sql =>
  sql`${how}(${literal(`${database}.${dictionary}`)}, ${attributes}, ${key})`

/** What the first of two dictionaries says, and if it does not know the key, the second. */
const lookUpEither = (database: string, first: string, second: string, attributes: Sql, key: Sql): Sql =>
  sql`dictGetOrDefault(${literal(`${database}.${first}`)}, ${attributes}, ${key}, ${lookUp(database, second, attributes, key)})`

const day = sql`toDate(dtime)`

/**
 * Number of the span that was in force. Nearly every row takes the first branch, and nearly every other one the second; only
 * for what is older does the engine go through the agent's whole timeline. What one branch reads stands in it once, or in
 * the first condition: the engine asks a dictionary again for every other place in a branch that it may not have to take,
 * and between two of them the timeline may become another one.
 */
export function spanAsOf(database: string): Sql {
  const timeline = (attributes: Sql) => lookUpEither(database, 'timeline_recent', 'timeline', attributes, sql`agent`)
  const recent = timeline(sql`('current_from', 'current_span', 'previous_from', 'previous_span')`)
  const whole = timeline(sql`('days', 'span_ids')`)
  const past = sql`arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= ${day}, spans.1)], [${whole}])[1]`
  return sql`if(${day} >= ${recent}.1, ${recent}.2, if(${day} >= ${recent}.3, ${recent}.4, ${past}))`
}

/** Number of the ISP, package or zone a span says; 0 for none. */
export const spanAttribute = (database: string, attribute: 'isp_id' | 'package_id' | 'zone_id', span: Sql): Sql =>
  lookUpEither(database, 'spans', 'spans_recent', sql`'${identifier(attribute)}'`, span)

/** A custom value as text, null when the span has none. `field` is the number of the custom field. */
export function customValue(database: string, field: Sql, span: Sql): Sql {
  const key = sql`bitOr(bitShiftLeft(toUInt64(${field}), 32), toUInt64(${span}))`
  return lookUpEither(database, 'custom_values', 'custom_values_recent', sql`'value'`, key)
}

/** The name of an ISP, or null. */
export const ispName = (database: string, isp: Sql): Sql =>
  sql`nullIf(${lookUp(database, 'isps', sql`'name'`, sql`toUInt64(${isp})`)}, '')`

/** `<isp>:<package>`, or null. */
export function packageName(database: string, packageId: Sql): Sql {
  const found = lookUp(database, 'packages', sql`('isp_id', 'name')`, sql`toUInt64(${packageId})`)
  return sql`if(${packageId} = 0, NULL, concat(${lookUp(database, 'isps', sql`'name'`, sql`toUInt64(${found}.1)`)}, ':', ${found}.2))`
}
