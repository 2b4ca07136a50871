import { identifier, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { shardTable } from './fact-table.ts'
import { keyOf } from '../ingest/validate-rows.ts'
import { rejectedTable } from '../ingest/rejected-table.ts'
import { isOfBuilds } from '../rollup/late-results.ts'
import { rollupTable } from '../rollup/rollup-table.ts'

/**
 * An agent to erase, and the rollup builds that have counted it. An agent cannot be subtracted from a rollup, so these builds
 * are deleted.
 */
export type ErasedAgent = {
  readonly number: number
  readonly agentId: string
  /** The organisation that owns the panel of the agent. */
  readonly owner: number
  readonly builds: readonly number[]
}

/** A table on a node that can contain data of an agent, and the condition for the agent's rows. */
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
    // A row that belongs to another agent's number must stay: the same agent id can have been registered again, with a new
    // number.
    {
      table: 'staged_results',
      condition: sql`${ofNumber} OR (agent = 0 OR reason != '') AND ${isSentBy(key, sql`cells[1]`, sql`1`)}`,
    },
    { table: stored(rollupTable), condition: isOfBuilds(builds) },
  ]
}

/**
 * Matches a row by the agent id that the sender wrote. If this id is empty, an object or a list, or if the row is malformed,
 * the condition splits the whole row into pieces and searches these. It does so only in rows of the agent's own organisation,
 * because in a row of another organisation a number can equal the id by chance. Senders may write a character as an escape
 * such as `\u002d`; the condition ignores such escapes. Ids can contain colons, so the row is split both with and without
 * colons as separators.
 */
function isSentBy(key: string, agentId: Sql, isOwn: Sql): Sql {
  const unread = sql`(${agentId} = '' OR substring(${agentId}, 1, 1) IN ('{', '[') OR reason = 'malformed_row')`
  const pieces = sql`arrayConcat(${piecesBy(String.raw`["',;\t{}\[\]]`)}, ${piecesBy(String.raw`["',;:=\t{}\[\]]`)})`
  const bare = sql`replaceRegexpAll(lower(piece), ${literal(String.raw`\\u[0-9a-f]{4}|[^a-z0-9]`)}, '')`
  return sql`(${keyOf(agentId)} = ${literal(key)}
  OR ${isOwn} AND ${unread} AND arrayExists(piece -> ${bare} = ${literal(key)}, ${pieces}))`
}

const piecesBy = (ends: string): Sql => sql`splitByRegexp(${literal(ends)}, raw)`

/**
 * Finds the builds that have counted the agent, on all nodes. Only some rows of a build contain agent numbers. When these rows
 * are deleted, nothing shows any more that the build has counted the agent.
 */
export const findBuildsOf = (database: string, agentNumber: number): Sql =>
  sql`SELECT DISTINCT build FROM ${identifier(database)}.${identifier(rollupTable)}
WHERE whole = 1 AND bitmapContains(agents, toUInt32(${numberLiteral(agentNumber)}))`

const agentKey = (agentId: string): string => agentId.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

export const countTrace = (database: string, { table, condition }: Trace): Sql =>
  sql`SELECT count() AS found FROM ${identifier(database)}.${identifier(table)} WHERE ${condition}`

/** Rewrites the affected parts and waits until the rewrite has finished. A lightweight delete would leave the rows on disk. */
export const removeTrace = (database: string, { table, condition }: Trace): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} DELETE WHERE ${condition} SETTINGS mutations_sync = 2`

/**
 * Removes the rows that a lightweight delete has already marked: rewrites the affected parts and waits until the rewrite has
 * finished.
 */
export const applyMarks = (database: string, { table }: Trace): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(table)} APPLY DELETED MASK SETTINGS mutations_sync = 2`
