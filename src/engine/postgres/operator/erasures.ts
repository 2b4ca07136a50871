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

/** Exports that may hold results of the panel: of whoever can read it, and of whoever has asked for it lately. */
export async function cancelExports(
  operator: Operator,
  { panel_id }: Erasure,
  alsoOf: readonly number[],
): Promise<string[]> {
  const rows = await operate<{ id: string }>(
    operator,
    `UPDATE exports SET status = 'cancelled', leased_until = NULL, finished_at = now(), file_name = 'erased'
     WHERE organisation_id = ANY ($2) OR organisation_id IN (
       SELECT owner_id FROM panels WHERE id = $1
       UNION ALL SELECT organisation_id FROM panel_subscriptions WHERE panel_id = $1)
     RETURNING id`,
    [panel_id, alsoOf],
  )
  return rows.map(({ id }) => id)
}

/** What the register still has of an agent's number; all zero when it is gone. */
export async function countTraces(operator: Operator, { agent_number }: Erasure): Promise<Record<string, number>> {
  const [row] = await operate<Record<string, number>>(
    operator,
    `SELECT (SELECT count(*)::int FROM agents WHERE id = $1) AS agents,
       (SELECT count(*)::int FROM spans WHERE agent_id = $1) AS spans,
       (SELECT count(*)::int FROM retired_spans WHERE agent_id = $1) AS retired_spans,
       (SELECT count(*)::int FROM current_metadata WHERE agent_id = $1) AS current_metadata,
       (SELECT count(*)::int FROM metadata_events WHERE agents @> ARRAY[$1::int]) AS metadata_events`,
    [agent_number],
  )
  return row ?? {}
}
