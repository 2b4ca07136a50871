import { identifier, literal, sql, type Sql } from '../base/sql.ts'

/**
 * Metadata of a fact row as of its measurement, as expressions over its columns `agent` and `dtime`.
 *
 * Every dictionary has a small twin with what has changed lately. Each call below reads one version of one dictionary, and
 * any mix of versions gives the row's old or its new value: whole timelines are in one row, spans never change, and a span
 * stays where it is for longer than a query runs between two calls.
 */
const lookUp = (database: string, dictionary: string, attributes: Sql, key: Sql, how = sql`dictGet`): Sql =>
  sql`${how}(${literal(`${database}.${dictionary}`)}, ${attributes}, ${key})`

const day = sql`toDate(dtime)`

/** Number of the span that was in force. Nearly every row takes the first branch; the past is looked up for the others. */
export function spanAsOf(database: string): Sql {
  const current = newestFirst(database, sql`('current_from', 'current_span')`, (found) => sql`${found}.2 > 0`)
  const timeline = newestFirst(database, sql`('days', 'span_ids')`, (found) => sql`notEmpty(${found}.1)`)
  return sql`if(${day} >= ${current}.1, ${current}.2, ${timeline}.2[arrayLastIndex(d -> d <= ${day}, ${timeline}.1)])`
}

function newestFirst(database: string, attributes: Sql, isFound: (found: Sql) => Sql): Sql {
  const recent = lookUp(database, 'timeline_recent', attributes, sql`agent`)
  return sql`if(${isFound(recent)}, ${recent}, ${lookUp(database, 'timeline', attributes, sql`agent`)})`
}

/** Number of the ISP, package or zone a span says; 0 for none. */
export function spanAttribute(database: string, attribute: 'isp_id' | 'package_id' | 'zone_id', span: Sql): Sql {
  const name = sql`'${identifier(attribute)}'`
  const settled = lookUp(database, 'spans', name, span, sql`dictGetOrNull`)
  return sql`assumeNotNull(coalesce(${settled}, ${lookUp(database, 'spans_recent', name, span)}))`
}

/** A custom value as text, null when the span has none. `field` is the number of the custom field. */
export function customValue(database: string, field: Sql, span: Sql): Sql {
  const key = sql`bitOr(bitShiftLeft(toUInt64(${field}), 32), toUInt64(${span}))`
  const find = (dictionary: string) => lookUp(database, dictionary, sql`'value'`, key, sql`dictGetOrNull`)
  return sql`coalesce(${find('custom_values')}, ${find('custom_values_recent')})`
}

/** The name of an ISP, or null. */
export const ispName = (database: string, isp: Sql): Sql =>
  sql`nullIf(${lookUp(database, 'isps', sql`'name'`, sql`toUInt64(${isp})`)}, '')`

/** `<isp>:<package>`, or null. */
export function packageName(database: string, packageId: Sql): Sql {
  const found = lookUp(database, 'packages', sql`('isp_id', 'name')`, sql`toUInt64(${packageId})`)
  return sql`if(${packageId} = 0, NULL, concat(${lookUp(database, 'isps', sql`'name'`, sql`toUInt64(${found}.1)`)}, ':', ${found}.2))`
}
