import { median } from '../rig/median.ts'
import type { Bench, Measurement } from './bench.ts'

/**
 * Measures changes of a tenth of the agents, through the service and with hand-written SQL, alternating on different tenths.
 * Then it measures one change of all agents.
 */
export async function measureBulkChanges({ agents, sql, put, quiet }: Bench): Promise<Measurement[]> {
  const ours: number[] = []
  const byHand: number[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    await quiet()
    ours.push(await put({ agent: { custom: { group: `g${2 * turn}` } }, metadata: { package: 'Acme:Package 7' } }))
    await quiet()
    const startedAt = performance.now()
    await sql.query(byHandText(`g${2 * turn + 1}`))
    byHand.push(performance.now() - startedAt)
  }
  await quiet()
  const all = await put({ agent: { isp: 'Acme' }, metadata: { package: 'Acme:Package 9' } }, 'all-of-them')
  return [
    {
      what: `PUT on ${agents / 10} agents, ms`,
      ours: median(ours).toFixed(0),
      bare: median(byHand).toFixed(0),
      ratio: (median(ours) / median(byHand)).toFixed(2),
    },
    { what: `PUT on ${agents} agents, ms`, ours: all.toFixed(0), bare: '', ratio: '' },
  ]
}

/**
 * The same change as hand-written SQL, which assumes that no span begins later than today: one statement for the event, and
 * two statements for the change itself.
 */
const byHandText = (group: string): string => `
  BEGIN;
  INSERT INTO metadata_events (organisation_id, kind, token_id, request_id, from_day, request, agents)
    SELECT 1, 'change', 1, 'by hand', (now() AT TIME ZONE 'UTC')::date, '{}', array_agg(agent_id ORDER BY agent_id)
    FROM current_metadata WHERE custom @> '{"group": "${group}"}';
  INSERT INTO spans (agent_id, from_day, isp_id, package_id, zone_id, custom, event_id)
    SELECT agent_id, (now() AT TIME ZONE 'UTC')::date, 1, 7, zone_id, custom, (SELECT max(id) FROM metadata_events)
    FROM current_metadata WHERE custom @> '{"group": "${group}"}' ORDER BY agent_id FOR UPDATE;
  UPDATE current_metadata c SET package_id = s.package_id, from_day = s.from_day, span_id = s.id,
      days = c.days || s.from_day, span_ids = c.span_ids || s.id
    FROM spans s WHERE s.agent_id = c.agent_id AND s.from_day = (now() AT TIME ZONE 'UTC')::date
      AND s.custom @> '{"group": "${group}"}';
  COMMIT;`
