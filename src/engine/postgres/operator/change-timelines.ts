import { bulkLoad, type BulkResult, type LoadedLine } from './bulk-load.ts'
import type { Operator } from './operator.ts'
import { readPanel } from './panels.ts'

/**
 * Metadata of an agent from a day on. Null does not change a field. An ISP without a package removes the package. `custom` is
 * JSON, and its values are merged with the existing ones.
 */
export type TimelineRow = {
  agent_id: string
  from_day: string
  isp: string | null
  package: string | null
  timezone: string | null
  custom: string
}

/** Where the changes come from. It is stored with them. */
export type TimelineOrigin = { requestId: string; request: unknown }

/**
 * Changes the timelines of any number of agents of one panel, for any number of days. Runs the same SQL as PUT /metadata. The
 * limit of 28 days does not apply, because it is only for callers.
 */
export async function changeTimelines(
  operator: Operator,
  panel: string,
  lines: AsyncIterable<LoadedLine<TimelineRow>>,
  { requestId, request }: TimelineOrigin,
  onProgress: (lines: number) => void,
): Promise<BulkResult> {
  const { id: panelId } = await readPanel(operator, panel)
  return bulkLoad<TimelineRow>(operator, lines, {
    columns: { agent_id: 'text', from_day: 'date', isp: 'text', package: 'text', timezone: 'text', custom: 'jsonb' },
    before: [],
    faults: [
      { text: unknownAgents, values: [panelId] },
      { text: repeated, values: [] },
      fault('isp: is not in the catalogue', 'isp IS NOT NULL AND isp NOT IN (SELECT name FROM isps)'),
      fault('package: needs an ISP', 'package IS NOT NULL AND isp IS NULL'),
      fault(
        'package: is not in the catalogue',
        'NOT EXISTS (SELECT FROM packages p JOIN isps i ON i.id = p.isp_id WHERE i.name = incoming.isp AND p.name = incoming.package)' +
          ' AND package IS NOT NULL',
      ),
      fault('timezone: is not known', 'timezone IS NOT NULL AND timezone NOT IN (SELECT name FROM zones)'),
      fault('from_day: is in the future', "from_day > (now() AT TIME ZONE 'UTC')::date"),
    ],
    writes: [
      { text: resolve, values: [] },
      { text: lockTimelines, values: [] },
      { text: dropErased, values: [] },
      // This statement comes after the agents are locked, as in changes by callers. The reverse order could deadlock.
      { text: nameCustomFields, values: [panelId] },
      { text: noteEvents, values: [panelId, requestId, JSON.stringify(request)] },
      { text: apply, values: [] },
      { text: 'SELECT 0 AS created, count(DISTINCT agent)::integer AS changed FROM resolved', values: [] },
    ],
    onProgress,
  })
}

const fault = (text: string, condition: string) => ({
  text: `SELECT line, '${text}' AS fault FROM incoming WHERE ${condition} ORDER BY line LIMIT 20`,
  values: [],
})

const unknownAgents = `
  SELECT line, 'agent_id: is not on this panel' AS fault
  FROM incoming LEFT JOIN agents a ON a.agent_key = identifier_key(incoming.agent_id) AND a.panel_id = $1
  WHERE a.id IS NULL ORDER BY line LIMIT 20`

const repeated = `
  SELECT line, 'agent_id: has another line for the same day' AS fault
  FROM (
    SELECT line, min(line) OVER (PARTITION BY identifier_key(agent_id), from_day) AS first_line FROM incoming
  ) i
  WHERE line <> first_line ORDER BY line LIMIT 20`

const resolve = `
  CREATE TEMP TABLE resolved ON COMMIT DROP AS
  SELECT a.id AS agent, from_day, isps.id AS isp_id, packages.id AS package_id, zones.id AS zone_id, custom,
    NULL::bigint AS event_id
  FROM incoming JOIN agents a ON a.agent_key = identifier_key(incoming.agent_id)
    LEFT JOIN isps ON isps.name = incoming.isp
    LEFT JOIN packages ON packages.isp_id = isps.id AND packages.name = incoming.package
    LEFT JOIN zones ON zones.name = incoming.timezone`

const nameCustomFields = `
  INSERT INTO custom_fields (organisation_id, key)
  SELECT DISTINCT panels.owner_id, field
  FROM resolved CROSS JOIN jsonb_object_keys(custom) AS field JOIN panels ON panels.id = $1
  ORDER BY field
  ON CONFLICT DO NOTHING`

/** Locks agents in the order of their numbers, as every change of timelines does, so that changes cannot deadlock. */
const lockTimelines = `
  SELECT count(*) FROM (
    SELECT FROM current_metadata WHERE agent_id IN (SELECT agent FROM resolved) ORDER BY agent_id FOR UPDATE
  ) AS locked`

/** An agent that was erased while this transaction waited for the lock must not get a new event. */
const dropErased = `
  DELETE FROM resolved WHERE NOT EXISTS (SELECT FROM current_metadata WHERE current_metadata.agent_id = resolved.agent)`

/** Creates one event per day, for all agents that change on that day. */
const noteEvents = `
  WITH noted AS (
    INSERT INTO metadata_events (organisation_id, kind, request_id, from_day, request, agents)
    SELECT (SELECT owner_id FROM panels WHERE id = $1), 'change', $2, from_day, $3, array_agg(agent ORDER BY agent)
    FROM resolved GROUP BY from_day ORDER BY from_day
    RETURNING id, from_day
  )
  UPDATE resolved SET event_id = noted.id FROM noted WHERE noted.from_day = resolved.from_day`

/**
 * Agents with the same change on the same day are changed together. Earlier days come first: a value applies from its day on,
 * until a later line changes it.
 */
const apply = `
  SELECT apply_change(agents, event_id, from_day, isp_id IS NOT NULL, isp_id, package_id, zone_id IS NOT NULL, zone_id,
                      custom, ARRAY[]::text[], false)
  FROM (
    SELECT array_agg(agent ORDER BY agent) AS agents, event_id, from_day, isp_id, package_id, zone_id, custom
    FROM resolved GROUP BY event_id, from_day, isp_id, package_id, zone_id, custom ORDER BY from_day
    OFFSET 0
  ) AS alike`
