import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { DimensionSource } from '../../catalog/dimensions.ts'
import type { TestDataRequest } from '../../check/metric/test-data-request.ts'
import { leavesOf } from '../../check/metric/filters/filter-tree.ts'
import type { Days } from '../../check/metric/test-date.ts'
import { agentAttribute } from './dimension-value.ts'
import { filterCondition, type ResolvedFilter } from './filter-condition.ts'
import { withinPage, ofPage, type RowPage } from './page/keyset.ts'
import { spanAsOf } from './metadata-as-of.ts'
import { notErased, pinned, withAliases } from './samples.ts'
import { keptByDay } from './retention.ts'

/** A checked request for test records. `erased` are the numbers of the agents whose records are excluded. */
export type RecordsRequest = Omit<TestDataRequest, 'filters'> & {
  readonly erased: readonly number[]
  readonly filters: readonly ResolvedFilter[]
  /** Excludes records that are stored at or after this time. */
  readonly storedBefore?: Temporal.Instant
  /** The page of records that the query selects. If absent, it selects all. */
  readonly page?: RowPage
}

/** A statement, and the names of its columns, which are also the CSV header. */
export type RecordsPlan = { readonly columns: readonly string[]; readonly query: Sql }

/** The range of ClickHouse's `Date`. A day outside it would wrap around. Results are always inside it. */
const firstDay = Temporal.PlainDate.from('1970-01-01')
const lastDay = Temporal.PlainDate.from('2149-06-06')

/**
 * Selects test records in the sort order of the table: panel, UTC day, agent, time, and then the columns that distinguish two
 * results of the same time. ClickHouse reads in this order without sorting, so equal requests get byte-identical responses, and
 * ClickHouse needs no more memory than for the parts that it reads. The condition compares days. A condition on `dtime` alone
 * would match only the last column of the sort key, and ClickHouse would read every day of the panel.
 */
export function compileTestRecords(
  request: RecordsRequest,
  database: string,
  storedBefore: Temporal.Instant | undefined = request.storedBefore,
): RecordsPlan {
  const { test } = request
  const pin = storedBefore === undefined ? {} : { storedBefore }
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
  return {
    columns: output.map(({ name }) => name),
    query: sql`${recordRows(database, { ...request, ...pin })(join(output.map(selected), ',\n  '))}
ORDER BY panel, toDate(dtime), agent, ${join(['dtime', ...test.identity].map(identifier), ', ')}${ofPage(request)}`,
  }
}

/** Selects columns of the records, before the page is cut. */
export function recordRows(database: string, request: RecordsRequest): (columns: Sql) => Sql {
  const { test, panels, erased, days, filters, storedBefore } = request
  const { first, last } = storable(days)
  const conditions = [
    sql`panel IN ${bind('Array(UInt32)', panels)}`,
    ...notErased(erased),
    sql`toDate(dtime) >= ${bind('Date', first.toString())}`,
    sql`toDate(dtime) <= ${bind('Date', last.toString())}`,
    ...keptByDay(test.keepDays, sql`toDate(dtime)`),
    ...pinned(storedBefore),
    ...filters.map((filter) => filterCondition(database, filter)),
    ...withinPage(request),
  ]
  const metadata = leavesOf(filters).some(({ dimension }) => isOfSpan(dimension.source))
    ? sql`${withAliases([{ name: 'span', value: spanAsOf(database) }])}\n`
    : sql``
  return (columns) => sql`${metadata}SELECT
  ${columns}
FROM ${identifier(database)}.${identifier(test.key)}
WHERE ${join(conditions, '\n  AND ')}`
}

/** True if the value is metadata as of the measurement. */
const isOfSpan = ({ kind }: DimensionSource): boolean => kind === 'isp' || kind === 'package' || kind === 'custom'

const selected = ({ name, value }: { name: string; value: Sql }): Sql => sql`${value} AS ${identifier(name)}`

/**
 * Returns the part of the period that can contain results. If there is none, returns an empty period (`first` after `last`).
 */
function storable({ first, last }: Days): Days {
  if (isBefore(last, firstDay) || isBefore(lastDay, first)) return { first: lastDay, last: firstDay }
  return { first: isBefore(first, firstDay) ? firstDay : first, last: isBefore(lastDay, last) ? lastDay : last }
}

const isBefore = (one: Temporal.PlainDate, other: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(one, other) < 0
