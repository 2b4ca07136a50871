import { inTransaction, operate, type Operator } from './operator.ts'
import { createPanel, readPanel, type PanelRecord } from './panels.ts'
import { readOrganisation } from './organisations.ts'

/** Marks the metadata events of synthetic panels. */
export const syntheticRequestId = 'synth'

export type SyntheticPanel = {
  /** The parameters of the generator. They identify the panel. */
  readonly record: Record<string, unknown>
  /** True if all agents of the panel and their timelines are stored. */
  readonly isRegistered: boolean
}

/** Returns null if the panel does not exist or is not synthetic. */
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

/** Creates a panel and records its parameters as a metadata event, in one transaction. */
export async function createSyntheticPanel(
  operator: Operator,
  panel: { key: string; name: string; owner: string },
  record: Record<string, unknown>,
): Promise<PanelRecord> {
  const { id: ownerId } = await readOrganisation(operator, panel.owner)
  return inTransaction(operator, async () => {
    const created = await createPanel(operator, panel)
    await recordEvent(operator, ownerId, record)
    return created
  })
}

/** Returns the number of rows of each test. A test is in the map only if all its rows are written. */
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

export async function recordWrittenRows(operator: Operator, panel: string, test: string, rows: number): Promise<void> {
  const { owner } = await readPanel(operator, panel)
  const { id: ownerId } = await readOrganisation(operator, owner)
  await recordEvent(operator, ownerId, { panel, test, rows })
}

/** Returns, for each test, the end of the results that were written after the panel's own days. */
export async function findWrittenUntil(operator: Operator, panel: string): Promise<Map<string, Temporal.Instant>> {
  const rows = await operate<{ test: string; until: string }>(
    operator,
    `SELECT test, max(e.request->>'until') AS until
     FROM metadata_events e JOIN panels p ON p.owner_id = e.organisation_id,
       jsonb_array_elements_text(e.request->'tests') AS test
     WHERE p.key = $1 AND e.request_id = $2 AND e.request->>'panel' = $1 AND e.request ? 'until' GROUP BY test`,
    [panel, syntheticRequestId],
  )
  return new Map(rows.map(({ test, until }) => [test, Temporal.Instant.from(until)]))
}

export async function recordWrittenUntil(
  operator: Operator,
  panel: string,
  tests: readonly string[],
  until: Temporal.Instant,
): Promise<void> {
  const { owner } = await readPanel(operator, panel)
  const { id: ownerId } = await readOrganisation(operator, owner)
  await recordEvent(operator, ownerId, { panel, tests, until: until.toString() })
}

/** The event has no agents and is marked as published and compacted, because the dictionaries have nothing to load. */
const recordEvent = (operator: Operator, ownerId: number, request: Record<string, unknown>) =>
  operate(
    operator,
    `INSERT INTO metadata_events
       (organisation_id, kind, request_id, from_day, request, agents, announced, published, compacting, compacted_at, evicted)
     VALUES ($1, 'change', $2, (now() AT TIME ZONE 'UTC')::date, $3, '{}', true, true, true, now(), true)`,
    [ownerId, syntheticRequestId, JSON.stringify(request)],
  )
