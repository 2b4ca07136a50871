-- What the small dictionaries hold, made smaller. After a few bulk changes they held every span of every agent changed
-- within the minute, and reading those took longer than the five seconds a change has to be seen in.
--
-- Spans never change, and those of a settled event are in the large dictionaries: the small ones need the new ones only.
-- Settled ones stay for ten seconds: a query may have looked into a large dictionary just before it was loaded, and looks
-- into the small one a few milliseconds later. Not those that went straight into the large ones because they are so many.
CREATE VIEW unsettled_events AS
  SELECT id, agents FROM metadata_events
  WHERE settled_at IS NULL OR (told AND settled_at > now() - interval '10 seconds');

CREATE OR REPLACE VIEW unsettled_agents AS
  SELECT DISTINCT unnest(agents) AS agent_id FROM unsettled_events;

CREATE OR REPLACE VIEW dictionary_spans_recent AS
  SELECT agent_id, id, coalesce(isp_id, 0) AS isp_id, coalesce(package_id, 0) AS package_id,
    coalesce(zone_id, 0) AS zone_id
  FROM unsettled_agents JOIN all_spans USING (agent_id)
  WHERE retired_at > now() - interval '1 hour' AND event_id IN (SELECT id FROM unsettled_events);

CREATE OR REPLACE VIEW dictionary_custom_values_recent AS
  SELECT given.agent_id, (custom_fields.id::bigint << 32) | given.span_id AS key, given.value
  FROM (
    SELECT agent_id, all_spans.id AS span_id, panels.owner_id, pair.key, pair.value
    FROM unsettled_agents
      JOIN all_spans USING (agent_id)
      JOIN current_metadata USING (agent_id)
      JOIN panels ON panels.id = current_metadata.panel_id
      CROSS JOIN jsonb_each_text(all_spans.custom) AS pair
    WHERE all_spans.custom <> '{}' AND all_spans.retired_at > now() - interval '1 hour'
      AND all_spans.event_id IN (SELECT id FROM unsettled_events)
    OFFSET 0
  ) AS given
    JOIN custom_fields ON custom_fields.organisation_id = given.owner_id AND custom_fields.key = given.key;
