import { comparable } from '../../../base/comparable.ts'
import { operate, OperatorError, type Operator } from './operator.ts'

/** An agent that has left the register, and whose traces elsewhere are being removed. */
export type Erasure = {
  readonly agent_number: number
  readonly panel_id: number
  readonly agent_id: string
  readonly unit_id: string | null
  /** Organisation that owns the panel. */
  readonly owner_id: number
}

/**
 * Takes the agent out of the register, and takes up erasures of it that broke off: it may have been registered again since,
 * under another number.
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

/** Exports that may hold results of the panel: of organisations that can read it, or have asked for it in these days. */
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

/** As JSON writes them among the values of a filter. The same text in a question about no agent is a provider's number. */
const namesOf = ({ agent_id, unit_id }: Erasure): string[] =>
  [agent_id, unit_id ?? agent_id].map((name) => JSON.stringify(name))

const mentions = `body LIKE ANY (ARRAY['%"id":"agent"%', '%"id":"unit"%', '%"id":"custom.%'])
  AND (strpos(body, $1) > 0 OR strpos(body, $2) > 0)`

/** Replaces the names of an agent in the bodies of the audit trail. */
export async function redactQuestions(operator: Operator, erasure: Erasure): Promise<void> {
  const redacted = await operate(
    operator,
    `UPDATE audit_records SET body = replace(replace(body, $1, '"erased"'), $2, '"erased"')
     WHERE ${mentions} RETURNING id`,
    namesOf(erasure),
  )
  // Autovacuum hardly comes to a month that gets no more records, and the former bodies would stay on the disk.
  if (redacted.length > 0) await operate(operator, 'VACUUM audit_records')
}

/** What PostgreSQL still has of an agent; all zero when it is gone. */
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
  const questions = `SELECT count(*)::int AS audited_queries FROM audit_records WHERE ${mentions}`
  const [mentioned] = await operate<Record<string, number>>(operator, questions, namesOf(erasure))
  return { ...row, ...mentioned }
}
