import { comparable } from '../../../base/comparable.ts'
import { operate, OperatorError, type Operator } from './operator.ts'

/** The erasure of an agent. The agent is no longer registered, and its remaining data is being removed. */
export type Erasure = {
  readonly agent_number: number
  readonly panel_id: number
  readonly agent_id: string
  readonly unit_id: string | null
  /** The organisation that owns the panel. */
  readonly owner_id: number
}

/**
 * Removes the registration of an agent, and resumes interrupted erasures of the same agent id. There may be several
 * interrupted erasures: after an erasure the agent id can be registered again, and the new agent has another agent number.
 */
export async function beginErasures(operator: Operator, agentId: string): Promise<Erasure[]> {
  const erasures = await operate<Erasure>(
    operator,
    `SELECT agent_number, panel_id, agent_id, unit_id, owner_id
     FROM begin_erasure($1) JOIN panels ON panels.id = panel_id`,
    [comparable(agentId)],
  )
  if (erasures.length === 0) throw new OperatorError(`There is no agent "${agentId}".`)
  return erasures
}

export const finishErasure = async (operator: Operator, { agent_number }: Erasure): Promise<void> =>
  void (await operate(operator, 'SELECT finish_erasure($1)', [agent_number]))

/**
 * Cancels the exports that can contain results of the panel. These are the exports of organisations that can read the panel, or
 * that have queried it in the last `days` days.
 */
export async function cancelExports(operator: Operator, { panel_id }: Erasure, days: number): Promise<string[]> {
  const rows = await operate<{ id: string }>(
    operator,
    `UPDATE exports SET status = 'cancelled', leased_until = NULL, finished_at = now(), file_name = 'erased'
     WHERE organisation_id IN (
       SELECT owner_id FROM panels WHERE id = $1
       UNION ALL SELECT organisation_id FROM panel_subscriptions WHERE panel_id = $1
       UNION ALL SELECT organisation FROM audit_records
         WHERE panels @> ARRAY[$1::int] AND asked_at > now() - $2::interval)
     RETURNING id`,
    [panel_id, `${days} days`],
  )
  return rows.map(({ id }) => id)
}

/**
 * The agent id and the unit number, as JSON writes them in the values of filters. `mentions` also requires a filter, or a
 * comparison, by agent, unit or custom field: in other queries the same text can be the number of an ISP.
 */
const namesOf = ({ agent_id, unit_id }: Erasure): string[] =>
  [agent_id, unit_id ?? agent_id].map((name) => JSON.stringify(name))

/** The parameters of a query string have names such as `filter.agent` and `compare.split`. */
const mentions = (column: string): string => `${column} LIKE ANY (ARRAY[
    '%"id":"agent"%', '%"id":"unit"%', '%"id":"custom.%', '%split":"agent"%', '%split":"unit"%', '%split":"custom.%',
    '%filter.agent%', '%filter.unit%', '%filter.custom.%'])
  AND (strpos(${column}, $1) > 0 OR strpos(${column}, $2) > 0)`

const redacted = (column: string): string => `${column} = replace(replace(${column}, $1, '"erased"'), $2, '"erased"')`

/** Where requests are stored as JSON. */
const requestTexts = [
  { table: 'audit_records', column: 'body', place: 'audited_queries' },
  { table: 'question_versions', column: 'request', place: 'saved_questions' },
] as const

/** Replaces the agent id and the unit number in the request bodies of the audit trail and in saved questions. */
export async function redactQuestions(operator: Operator, erasure: Erasure): Promise<void> {
  for (const { table, column } of requestTexts) {
    const text = `UPDATE ${table} SET ${redacted(column)} WHERE ${mentions(column)} RETURNING 1 AS changed`
    const changed = await operate(operator, text, namesOf(erasure))
    // Autovacuum rarely processes a table without new rows, so without this the old texts would stay on disk.
    if (changed.length > 0) await operate(operator, `VACUUM ${table}`)
  }
}

/** Counts the rows that PostgreSQL still has of an agent. All counts are zero when the agent is erased. */
export async function countTraces(operator: Operator, erasure: Erasure): Promise<Record<string, number>> {
  const [row] = await operate<Record<string, number>>(
    operator,
    `SELECT (SELECT count(*)::int FROM agents WHERE id = $1) AS agents,
       (SELECT count(*)::int FROM spans WHERE agent_id = $1) AS spans,
       (SELECT count(*)::int FROM retired_spans WHERE agent_id = $1) AS retired_spans,
       (SELECT count(*)::int FROM current_metadata WHERE agent_id = $1) AS current_metadata,
       (SELECT count(*)::int FROM metadata_events WHERE agents @> ARRAY[$1::int]) AS metadata_events`,
    [erasure.agent_number],
  )
  const counts = requestTexts.map(
    ({ table, column, place }) => `(SELECT count(*)::int FROM ${table} WHERE ${mentions(column)}) AS ${place}`,
  )
  const questions = `SELECT ${counts.join(', ')}`
  const [mentioned] = await operate<Record<string, number>>(operator, questions, namesOf(erasure))
  return { ...row, ...mentioned }
}
