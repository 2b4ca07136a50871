import { Client } from 'pg'
import type { State } from './timeline-model.ts'

/** A stored span. `retiredBy` is null if the span is valid. */
export type SpanVersion = { id: number; fromDay: string; state: State; eventId: number; retiredBy: number | null }

export type StoredAgent = {
  versions: SpanVersion[]
  current: { fromDay: string; spanId: number; state: State; days: string[]; spanIds: number[] }
}

type VersionRow = State & {
  agent_id: number
  id: number
  from_day: string
  event_id: number
  retired_by: number | null
}
type CurrentRow = State & {
  agent_id: number
  span_id: number
  from_day: string
  days: string[]
  span_ids: number[]
}

// A package is compared together with its ISP. A package of another ISP with the same name must not count as equal.
const state = `
  isps.name AS isp, CASE WHEN s.package_id IS NOT NULL THEN coalesce(packages.name, 'of another ISP') END AS package,
  zones.name AS zone, s.custom`
const names = `
  LEFT JOIN isps ON isps.id = s.isp_id
  LEFT JOIN packages ON packages.id = s.package_id AND packages.isp_id = s.isp_id
  LEFT JOIN zones ON zones.id = s.zone_id`

const findVersions = `
  SELECT s.agent_id, s.id::float8, s.from_day::text, s.event_id::float8, s.retired_by::float8, ${state}
  FROM (
    SELECT agent_id, id, from_day, event_id, NULL::bigint AS retired_by, isp_id, package_id, zone_id, custom FROM spans
    UNION ALL
    SELECT agent_id, id, from_day, event_id, retired_by, isp_id, package_id, zone_id, custom FROM retired_spans
  ) s ${names} WHERE s.agent_id = ANY($1) ORDER BY s.agent_id, s.from_day, s.id`

const findCurrent = `
  SELECT s.agent_id, s.span_id::float8, s.from_day::text, s.days::text[], s.span_ids::float8[], ${state}
  FROM current_metadata s ${names} WHERE s.agent_id = ANY($1)`

/** Reads everything stored about the agents, with one statement per table and without row-level security. */
export async function readAgents(
  superuserUrl: string,
  agentIds: readonly number[],
): Promise<{ agents: Map<number, StoredAgent>; events: Map<string, number> }> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    const current = await client.query<CurrentRow>(findCurrent, [agentIds])
    const versions = await client.query<VersionRow>(findVersions, [agentIds])
    const events = await client.query<{ id: number; request_id: string }>(
      'SELECT id::float8, request_id FROM metadata_events WHERE request_id IS NOT NULL AND agents && $1',
      [agentIds],
    )
    const agents = new Map(current.rows.map((row) => [row.agent_id, storedAgent(row)]))
    for (const row of versions.rows) agents.get(row.agent_id)?.versions.push(spanVersion(row))
    return { agents, events: new Map(events.rows.map((row) => [row.request_id, row.id])) }
  } finally {
    await client.end()
  }
}

const stateOf = ({ isp, package: packageName, zone, custom }: State): State => ({
  isp,
  package: packageName,
  zone,
  custom,
})

const spanVersion = (row: VersionRow): SpanVersion => ({
  id: row.id,
  fromDay: row.from_day,
  state: stateOf(row),
  eventId: row.event_id,
  retiredBy: row.retired_by,
})

const storedAgent = (row: CurrentRow): StoredAgent => ({
  versions: [],
  current: {
    fromDay: row.from_day,
    spanId: row.span_id,
    state: stateOf(row),
    days: row.days,
    spanIds: row.span_ids,
  },
})
