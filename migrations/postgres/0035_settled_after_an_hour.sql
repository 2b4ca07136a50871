-- A span stays in its dictionary for an hour after it is no longer named, so that the timeline the engine still has finds it.
-- Where nobody could settle for longer than that, the hour begins when somebody does: the engine has heard of nothing before.
CREATE OR REPLACE FUNCTION begin_settling() RETURNS TABLE (id bigint, told boolean, agents integer, registration boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  UPDATE retired_spans SET retired_at = clock_timestamp()
  FROM (
    SELECT metadata_events.id AS event_id, unnest(metadata_events.agents) AS agent_id FROM metadata_events
    WHERE settled_at IS NULL AND recorded_at < clock_timestamp() - interval '30 minutes'
  ) AS waiting
  WHERE retired_spans.agent_id = waiting.agent_id AND retired_by = waiting.event_id
    AND retired_at < clock_timestamp() - interval '30 minutes';
  RETURN QUERY UPDATE metadata_events SET settling = true WHERE settled_at IS NULL
    RETURNING metadata_events.id, metadata_events.told, cardinality(metadata_events.agents), kind = 'registration';
END
$$;
