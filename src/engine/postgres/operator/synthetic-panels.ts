import { inTransaction, operate, type Operator } from './operator.ts'
import { createPanel, readPanel, type PanelRecord } from './panels.ts'
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
     WHERE p.key = $1 AND e.request_id = $2 AND e.request->>'panel' = $1 AND e.request ? 'seed' GROUP BY e.request`,
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
    await note(operator, ownerId, record)
    return created
  })
}

/** How many rows of each test the panel had when they were complete. */
export async function findWrittenRows(operator: Operator, panel: string): Promise<Map<string, number>> {
  const rows = await operate<{ test: string; rows: number }>(
    operator,
    `SELECT e.request->>'test' AS test, (e.request->'rows')::double precision AS rows
     FROM metadata_events e JOIN panels p ON p.owner_id = e.organisation_id
     WHERE p.key = $1 AND e.request_id = $2 AND e.request->>'panel' = $1 AND e.request ? 'rows' ORDER BY e.id`,
    [panel, syntheticRequestId],
  )
  return new Map(rows.map(({ test, rows: count }) => [test, count]))
}

export async function noteWrittenRows(operator: Operator, panel: string, test: string, rows: number): Promise<void> {
  const { owner } = await readPanel(operator, panel)
  const { id: ownerId } = await readOrganisation(operator, owner)
  await note(operator, ownerId, { panel, test, rows })
}

/** An event that changes no agent, so there is nothing in it for the engine to be told. */
const note = (operator: Operator, ownerId: number, request: Record<string, unknown>) =>
  operate(
    operator,
    `INSERT INTO metadata_events
       (organisation_id, kind, request_id, from_day, request, agents, announced, told, settling, settled_at, shed)
     VALUES ($1, 'change', $2, (now() AT TIME ZONE 'UTC')::date, $3, '{}', true, true, true, now(), true)`,
    [ownerId, syntheticRequestId, JSON.stringify(request)],
  )
