import { inTransaction, operate, type Operator } from './operator.ts'
import { createPanel, type PanelRecord } from './panels.ts'
import { readOrganisation } from './organisations.ts'

/** Marks the changes of synthetic panels in the trail of changes. */
export const syntheticRequestId = 'synth'

export type SyntheticPanel = {
  /** What it was made from, by which it is known again. */
  readonly record: Record<string, unknown>
  /** Its agents and their timelines are all there. */
  readonly isRegistered: boolean
}

/** Null when the panel is not there, or not a synthetic one. */
export async function readSyntheticPanel(operator: Operator, panel: string): Promise<SyntheticPanel | null> {
  const [row] = await operate<SyntheticPanel>(
    operator,
    `SELECT e.request AS record, bool_or(e.agents <> '{}') AS "isRegistered"
     FROM metadata_events e JOIN panels p ON p.owner_id = e.organisation_id
     WHERE p.key = $1 AND e.request_id = $2 AND e.request->>'panel' = $1 GROUP BY e.request`,
    [panel, syntheticRequestId],
  )
  return row ?? null
}

/** A panel and the record of what it is made from, in the trail of changes where history is looked for; both or neither. */
export async function createSyntheticPanel(
  operator: Operator,
  panel: { key: string; name: string; owner: string },
  record: Record<string, unknown>,
): Promise<PanelRecord> {
  const { id: ownerId } = await readOrganisation(operator, panel.owner)
  return inTransaction(operator, async () => {
    const created = await createPanel(operator, panel)
    await operate(
      operator,
      `INSERT INTO metadata_events (organisation_id, kind, request_id, from_day, request, agents)
       VALUES ($1, 'change', $2, (now() AT TIME ZONE 'UTC')::date, $3, '{}')`,
      [ownerId, syntheticRequestId, JSON.stringify(record)],
    )
    return created
  })
}
