import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { TestDataRequest } from '../../check/metric/test-data-request.ts'
import type { Days } from '../../check/metric/test-date.ts'
import { agentAttribute } from './dimension-value.ts'
import { notErased, pinned } from './samples.ts'
import { keptByDay } from './retention.ts'

/** A checked request, and the numbers of agents that are left out. */
export type RecordsRequest = TestDataRequest & { readonly erased: readonly number[] }

/** A statement that knows what it gives, so that the header of a CSV is never guessed from SQL. */
export type RecordsPlan = { readonly columns: readonly string[]; readonly query: Sql }

/** What `Date` of the engine can hold; a date beyond would wrap around. No result is older or newer. */
const firstDay = Temporal.PlainDate.from('1970-01-01')
const lastDay = Temporal.PlainDate.from('2149-06-06')

/**
 * Test records in the order they are stored in: panel, UTC day, agent, time, and then whatever tells two results of the
 * same moment apart. The engine reads them in that order instead of sorting, so the same request has the same answer,
 * byte by byte, at no more memory than the parts it reads from.
 *
 * The days stand as days: a bound on `dtime` alone would be matched with the last column of the sort key, and every day
 * of the panel would be read.
 */
export function compileTestRecords(
  { test, panels, erased, days }: RecordsRequest,
  database: string,
  storedBefore?: Temporal.Instant,
): RecordsPlan {
  const ofAgent = (attribute: string) => agentAttribute(database, attribute, sql`agent`)
  const common = [
    { name: 'base', value: ofAgent('base') },
    { name: 'ddate', value: sql`toDate(dtime)` },
    { name: 'dtime', value: sql`dtime` },
    { name: 'agent_id', value: ofAgent('agent_id') },
    { name: 'unit_id', value: ofAgent('unit_id') },
  ]
  const own = test.columns.map(({ name }) => ({ name, value: identifier(name) }))
  const output = [...common, ...own]
  const { first, last } = storable(days)
  const conditions = [
    sql`panel IN ${bind('Array(UInt32)', panels)}`,
    ...notErased(erased),
    sql`toDate(dtime) >= ${bind('Date', first.toString())}`,
    sql`toDate(dtime) <= ${bind('Date', last.toString())}`,
    ...keptByDay(test.keepDays, sql`toDate(dtime)`),
    ...pinned(storedBefore),
  ]
  return {
    columns: output.map(({ name }) => name),
    query: sql`SELECT
  ${join(output.map(selected), ',\n  ')}
FROM ${identifier(database)}.${identifier(test.key)}
WHERE ${join(conditions, '\n  AND ')}
ORDER BY panel, toDate(dtime), agent, ${join(['dtime', ...test.identity].map(identifier), ', ')}`,
  }
}

const selected = ({ name, value }: { name: string; value: Sql }): Sql => sql`${value} AS ${identifier(name)}`

/** The part of the days that can hold results; back to front, and so without any, when there is none. */
function storable({ first, last }: Days): Days {
  if (isBefore(last, firstDay) || isBefore(lastDay, first)) return { first: lastDay, last: firstDay }
  return { first: isBefore(first, firstDay) ? firstDay : first, last: isBefore(lastDay, last) ? lastDay : last }
}

const isBefore = (one: Temporal.PlainDate, other: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(one, other) < 0
