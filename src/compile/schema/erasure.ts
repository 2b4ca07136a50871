import { identifier, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { shardTable } from './fact-table.ts'
import { keyOf } from '../ingest/judge-rows.ts'
import { rejectedTable } from '../ingest/rejected-table.ts'
import { isOfBuilds } from '../rollup/late-results.ts'
import { rollupTable } from '../rollup/rollup-table.ts'

/** Whom to look for in the engine, and which builds have counted it: sums cannot be taken apart, so all of these go. */
export type ErasedAgent = {
  readonly number: number
  readonly agentId: string
  /** Organisation that owns its panel. */
  readonly owner: number
  readonly builds: readonly number[]
}

/** A table of a node that may hold something of an agent, and in which rows. */
export type Trace = { readonly table: string; readonly condition: Sql }

export function tracesOf(
  { tests }: Catalog,
  { number, agentId, owner, builds }: ErasedAgent,
  isCluster: boolean,
): Trace[] {
  const stored = (table: string) => (isCluster ? shardTable(table) : table)
  const ofNumber = sql`agent = ${numberLiteral(number)}`
  const key = agentKey(agentId)
  return [
    ...tests.map((test) => ({ table: stored(test.key), condition: ofNumber })),
    {
      table: stored(rejectedTable),
      condition: isSentBy(key, sql`agent_id`, sql`organisation = ${numberLiteral(owner)}`),
    },
    // One that was registered again under the same id has another number, and what is put aside of it is to be stored.
    {
      table: 'staged_results',
      condition: sql`${ofNumber} OR (agent = 0 OR reason != '') AND ${isSentBy(key, sql`cells[1]`, sql`1`)}`,
    },
    { table: stored(rollupTable), condition: isOfBuilds(builds) },
  ]
}

/**
 * A row as it was sent, by what was read as its agent. Where that is nothing, an object, a list, or one of several, the
 * pieces of the whole row are looked through, of rows of the agent's own organisation: a number of others' rows may happen
 * to be its id. What senders write as `\u002d` is a character that is not in a key. A colon parts pieces or does not: an
 * id may have some.
 */
function isSentBy(key: string, agentId: Sql, isOwn: Sql): Sql {
  const unread = sql`(${agentId} = '' OR substring(${agentId}, 1, 1) IN ('{', '[') OR reason = 'malformed_row')`
  const pieces = sql`arrayConcat(${piecesBy(String.raw`["',;\t{}\[\]]`)}, ${piecesBy(String.raw`["',;:=\t{}\[\]]`)})`
  const bare = sql`replaceRegexpAll(lower(piece), ${literal(String.raw`\\u[0-9a-f]{4}|[^a-z0-9]`)}, '')`
  return sql`(${keyOf(agentId)} = ${literal(key)}
  OR ${isOwn} AND ${unread} AND arrayExists(piece -> ${bare} = ${literal(key)}, ${pieces}))`
}

const piecesBy = (ends: string): Sql => sql`splitByRegexp(${literal(ends)}, raw)`

/** Of all nodes: builds that have counted the agent. Not all of their rows name it; once those that do are gone, nothing tells. */
export const findBuildsOf = (database: string, agentNumber: number): Sql =>
  sql`SELECT DISTINCT build FROM ${identifier(database)}.${identifier(rollupTable)}
WHERE whole = 1 AND bitmapContains(agents, toUInt32(${numberLiteral(agentNumber)}))`

const agentKey = (agentId: string): string => agentId.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

export const countTrace = (database: string, { table, condition }: Trace): Sql =>
  sql`SELECT count() AS found FROM ${identifier(database)}.${identifier(table)} WHERE ${condition}`

/** Rewrites the parts that have such rows, and waits for it. Marking rows as deleted would leave them on the disk. */
export const removeTrace = (database: string, { table, condition }: Trace): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} DELETE WHERE ${condition} SETTINGS mutations_sync = 2`

/** The same for rows that were marked earlier. */
export const applyMarks = (database: string, { table }: Trace): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} APPLY DELETED MASK SETTINGS mutations_sync = 2`
