import { runSql } from '../kit/run-sql.ts'

/** All current and retired spans, with the event that ended each. */
const everySpan = `
  SELECT agent_id, id, event_id, from_day, custom, NULL::bigint AS retired_by FROM spans
  UNION ALL SELECT agent_id, id, event_id, from_day, custom, retired_by FROM retired_spans`

/**
 * Queries by the name of the fault that they find. Every change sets a unique value from today on, so none of the
 * queries may find a row.
 */
const faults: Record<string, string> = {
  'current_metadata says something other than the spans': `
    SELECT c.agent_id FROM current_metadata c
      LEFT JOIN spans o ON o.agent_id = c.agent_id AND o.id = c.span_id AND o.from_day = c.from_day
      LEFT JOIN (
        SELECT agent_id, array_agg(from_day ORDER BY from_day) AS days, array_agg(id ORDER BY from_day) AS span_ids
        FROM spans GROUP BY agent_id
      ) s ON s.agent_id = c.agent_id
    WHERE (c.isp_id, c.package_id, c.zone_id, c.custom, c.days, c.span_ids)
      IS DISTINCT FROM (o.isp_id, o.package_id, o.zone_id, o.custom, s.days, s.span_ids)`,
  'a span number was used twice': `SELECT id FROM (${everySpan}) AS every GROUP BY id HAVING count(*) > 1`,
  'a change did not make exactly one span for each of its agents': `
    SELECT coalesce(due.event_id, made.event_id)
    FROM (SELECT id AS event_id, unnest(agents) AS agent_id FROM metadata_events) AS due
      FULL JOIN (SELECT event_id, agent_id, count(*) AS spans FROM (${everySpan}) AS every GROUP BY 1, 2) AS made
        USING (event_id, agent_id)
    WHERE due.event_id IS NULL OR made.spans IS DISTINCT FROM 1`,
  'a span does not say what its change asked for': `
    SELECT every.id FROM (${everySpan}) AS every JOIN metadata_events e ON e.id = every.event_id
    WHERE e.kind = 'change' AND NOT every.custom @> (e.request #> '{metadata,custom}')`,
  // Usually the next event retires the span. But the day may have changed between the two events, or the clock may have
  // been set back. Then the query looks for the first later event that starts on the same day or before.
  'a span was not retired by the next change from its day on or before': `
    WITH every AS MATERIALIZED (${everySpan}),
      chained AS (SELECT *, lead(event_id) OVER (PARTITION BY agent_id ORDER BY id) AS next_event FROM every)
    SELECT odd.id FROM chained AS odd
      LEFT JOIN every AS later ON later.agent_id = odd.agent_id AND later.id > odd.id AND later.from_day <= odd.from_day
    WHERE odd.retired_by IS DISTINCT FROM odd.next_event
    GROUP BY odd.id, odd.retired_by
    HAVING odd.retired_by IS DISTINCT FROM (array_agg(later.event_id ORDER BY later.id))[1]`,
  'the open span is not the newest': `
    SELECT agent_id FROM current_metadata JOIN (${everySpan}) AS every USING (agent_id)
    GROUP BY agent_id, span_id HAVING span_id <> max(every.id)`,
}

/** One line for each fault that was found, with the first five rows. */
export async function findTimelineFaults(superuserUrl: string): Promise<string[]> {
  const found: string[] = []
  for (const [fault, text] of Object.entries(faults)) {
    const rows = await runSql<Record<string, unknown>>(superuserUrl, `${text} LIMIT 5`)
    if (rows.length > 0) found.push(`${fault}: ${JSON.stringify(rows)}`)
  }
  return found
}
