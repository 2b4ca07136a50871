import { bind, numberLiteral, sql, type Sql } from '../../../base/sql.ts'

/**
 * The place of a row in the sort order of its table. `dtime` is the text that ClickHouse returns. Results of the same time have
 * the same place, so `skip` says how many of them come before the row.
 */
export type RowPosition = {
  readonly panel: number
  readonly agent: number
  readonly dtime: string
  readonly skip: number
}

/**
 * A page of rows: the first `limit` rows, or those from a position on. `to` is the position of the first row after the page, or
 * null if there is none or it is not known yet.
 */
export type RowPage = { readonly from: RowPosition | null; readonly to: RowPosition | null; readonly limit: number }

type Paged = { readonly page?: RowPage }

/**
 * Keeps the rows between the two positions, and the rows at them. The columns are those of the sort key, so ClickHouse skips all
 * other rows, and a late page costs as much as the first. Without `to`, ClickHouse would read on: the statement also sorts by
 * columns that are not in the sort key.
 */
export const withinPage = ({ page }: Paged): readonly Sql[] => [
  ...(page === undefined || page.from === null ? [] : [beside(page.from, sql`>`)]),
  ...(page === undefined || page.to === null ? [] : [beside(page.to, sql`<`)]),
]

function beside({ panel, agent, dtime }: RowPosition, is: Sql): Sql {
  const [samePanel, sameAgent] = [bind('UInt32', panel), bind('UInt32', agent)]
  const day = bind('Date', dtime.slice(0, 10))
  const time = bind("DateTime64(3, 'UTC')", dtime)
  return sql`(panel ${is} ${samePanel} OR (panel = ${samePanel} AND (toDate(dtime) ${is} ${day} OR (toDate(dtime) = ${day} AND (agent ${is} ${sameAgent} OR (agent = ${sameAgent} AND dtime ${is}= ${time}))))))`
}

/** The end of a statement that selects a page of ordered rows. */
export const ofPage = ({ page }: Paged): Sql =>
  page === undefined ? sql`` : sql`\nLIMIT ${numberLiteral(page.limit)} OFFSET ${numberLiteral(page.from?.skip ?? 0)}`

/**
 * Finds the first row after a page. `rows` is a statement that ends with `FROM … WHERE …` and selects nothing yet: `select`
 * completes it.
 */
export function rowAfter(page: RowPage, select: (columns: Sql) => Sql): Sql {
  const count = (page.from?.skip ?? 0) + page.limit + 1
  return sql`SELECT row_panel, row_agent, row_time, count() AS same, sum(count()) OVER () AS found FROM (
${select(sql`panel AS row_panel, toDate(dtime) AS row_day, agent AS row_agent, dtime AS row_time`)}
ORDER BY panel, toDate(dtime), agent, dtime
LIMIT ${numberLiteral(count)}
)
GROUP BY row_panel, row_day, row_agent, row_time
ORDER BY row_panel DESC, row_day DESC, row_agent DESC, row_time DESC
LIMIT 1`
}

/** A row of the result of `rowAfter`. */
export type RowAfter = readonly [
  panel: number,
  agent: number,
  dtime: string,
  same: number | string,
  found: number | string,
]

/** Returns the position of the first row after the page, or null if there is none. */
export function positionAfter({ from, limit }: RowPage, row: RowAfter | undefined): RowPosition | null {
  if (row === undefined) return null
  const [panel, agent, dtime, same, found] = row
  return Number(found) <= (from?.skip ?? 0) + limit ? null : { panel, agent, dtime, skip: Number(same) - 1 }
}
