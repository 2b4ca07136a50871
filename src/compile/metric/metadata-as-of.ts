import { identifier, literal, named, sql, type Sql } from '../../base/sql.ts'

/**
 * The functions of this file return the metadata of a result at the time of its measurement, as expressions over the columns
 * `agent` and `dtime`. The dictionaries of timelines, spans and custom values each have a small twin with recent changes. Each
 * call reads one version of one dictionary. Any combination of versions gives either the old or the new value of a row, for
 * three reasons: a whole timeline is one dictionary row, spans never change, and a span stays in its dictionary for longer
 * than the time between two calls of a query.
 */
const lookUp = (database: string, dictionary: string, attributes: Sql, key: Sql, how = sql`dictGet`): Sql =>
  sql`${how}(${literal(`${database}.${dictionary}`)}, ${attributes}, ${key})`

/** Reads the first dictionary, and the second if the first does not have the key. */
const lookUpEither = (database: string, first: string, second: string, attributes: Sql, key: Sql): Sql =>
  sql`dictGetOrDefault(${literal(`${database}.${first}`)}, ${attributes}, ${key}, ${lookUp(database, second, attributes, key)})`

const day = sql`toDate(dtime)`

/**
 * The number of the span at the time of a result. The first branch is for rows in the current span, and nearly every row takes
 * it. The second branch is for the previous span. Only for older rows, ClickHouse searches the agent's whole timeline.
 * ClickHouse evaluates the expressions of the first condition only once, and the branches reuse the values. Any other
 * dictionary read must occur only once in a branch: ClickHouse would execute a repeated read twice, and the timeline could
 * change between the two reads.
 */
export function spanAsOf(database: string): Sql {
  const timeline = (attributes: Sql) => lookUpEither(database, 'timeline_recent', 'timeline', attributes, sql`agent`)
  const recent = timeline(sql`('current_from', 'current_span', 'previous_from', 'previous_span')`)
  const whole = timeline(sql`('days', 'span_ids')`)
  const past = named('spans', whole, (spans) => sql`${spans}.2[arrayLastIndex(d -> d <= ${day}, ${spans}.1)]`)
  return sql`if(${day} >= ${recent}.1, ${recent}.2, if(${day} >= ${recent}.3, ${recent}.4, ${past}))`
}

/** The number of the ISP, package or time zone of a span; 0 if it has none. */
export const spanAttribute = (database: string, attribute: 'isp_id' | 'package_id' | 'zone_id', span: Sql): Sql =>
  named('k', span, (key) => lookUpEither(database, 'spans', 'spans_recent', sql`'${identifier(attribute)}'`, key))

/** The value of a custom field as text; null if the span has none. `field` is the number of the custom field. */
export const customValue = (database: string, field: Sql, span: Sql): Sql =>
  named('k', sql`bitOr(bitShiftLeft(toUInt64(${field}), 32), toUInt64(${span}))`, (key) =>
    lookUpEither(database, 'custom_values', 'custom_values_recent', sql`'value'`, key),
  )

export const ispName = (database: string, isp: Sql): Sql =>
  sql`nullIf(${lookUp(database, 'isps', sql`'name'`, sql`toUInt64(${isp})`)}, '')`

/**
 * The speed of a package in bits per second at the time of a result; 0 if it is not known. The branches are those of
 * `spanAsOf`: nearly every row takes the first one, and only older rows search the history.
 */
export function planSpeedAsOf(database: string, direction: 'download' | 'upload', packageId: Sql): Sql {
  const speeds = (attributes: Sql) => lookUp(database, 'package_speeds', attributes, sql`toUInt64(${packageId})`)
  const current = speeds(sql`('current_from', 'current_${identifier(direction)}')`)
  const whole = speeds(sql`('days', '${identifier(direction)}')`)
  const past = named('history', whole, (history) => sql`${history}.2[arrayLastIndex(d -> d <= ${day}, ${history}.1)]`)
  return sql`if(${day} >= ${current}.1, ${current}.2, ${past})`
}

/** The name of a package as `<isp>:<package>`; null for number 0. */
export function packageName(database: string, packageId: Sql): Sql {
  const found = lookUp(database, 'packages', sql`('isp_id', 'name')`, sql`toUInt64(${packageId})`)
  return sql`if(${packageId} = 0, NULL, concat(${lookUp(database, 'isps', sql`'name'`, sql`toUInt64(${found}.1)`)}, ':', ${found}.2))`
}
