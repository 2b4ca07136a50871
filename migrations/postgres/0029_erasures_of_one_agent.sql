-- An agent that is registered again while its erasure has not ended has another number, and its next erasure is one more:
-- every one that is open is answered. And an event may be written by somebody who looked for the agent before it left and
-- writes after: so events are cleaned for every open erasure, whether the agent was still there or not.
CREATE OR REPLACE FUNCTION begin_erasure(identifier text)
RETURNS TABLE (agent_number integer, panel_id integer, agent_id text, unit_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  found agents%ROWTYPE;
  unfinished erasures%ROWTYPE;
BEGIN
  SELECT * INTO found FROM agents WHERE agent_key = identifier_key(identifier) FOR UPDATE;
  IF found.id IS NOT NULL THEN
    -- A change of metadata that is under way is waited for, and finds no agent afterwards.
    PERFORM FROM current_metadata WHERE current_metadata.agent_id = found.id FOR UPDATE;
    INSERT INTO erasures (agent_number, panel_id, agent_id, unit_id)
    VALUES (found.id, found.panel_id, found.agent_id, found.unit_id);
    -- What only this agent has been said to have. Models, countries, ISPs and packages are nobody's own.
    DELETE FROM panel_values
    USING (
      SELECT DISTINCT 'custom.' || custom_fields.id AS subject, pair.key, pair.value
      FROM (SELECT custom FROM spans WHERE spans.agent_id = found.id
            UNION ALL SELECT custom FROM retired_spans WHERE retired_spans.agent_id = found.id) AS said
        CROSS JOIN jsonb_each_text(said.custom) AS pair
        JOIN panels ON panels.id = found.panel_id
        JOIN custom_fields ON custom_fields.organisation_id = panels.owner_id AND custom_fields.key = pair.key
    ) AS said
    WHERE panel_values.panel_id = found.panel_id AND panel_values.subject = said.subject AND panel_values.value = said.value
      AND NOT EXISTS (
        SELECT FROM spans JOIN agents ON agents.id = spans.agent_id
        WHERE agents.panel_id = found.panel_id AND agents.id <> found.id AND spans.custom ->> said.key = said.value
      );
    DELETE FROM spans WHERE spans.agent_id = found.id;
    DELETE FROM retired_spans WHERE retired_spans.agent_id = found.id;
    DELETE FROM current_metadata WHERE current_metadata.agent_id = found.id;
    DELETE FROM agents WHERE id = found.id;
  END IF;
  FOR unfinished IN
    SELECT * FROM erasures
    WHERE finished_at IS NULL AND identifier_key(erasures.agent_id) = identifier_key(identifier)
    ORDER BY erasures.agent_number
  LOOP
    -- A request that named this agent, or was about it alone, tells of it; that there was a change is kept.
    UPDATE metadata_events SET
      agents = array_remove(agents, unfinished.agent_number),
      request = CASE
        WHEN cardinality(agents) = 1
          OR identifier_key(request -> 'agent' ->> 'agent_id') = identifier_key(identifier)
          OR request -> 'agent' ->> 'unit_id' = unfinished.unit_id::text
          OR identifier_key(request -> 'agent' ->> 'mac_address') = found.mac_key
        THEN NULL ELSE request
      END
    WHERE agents @> ARRAY[unfinished.agent_number];
    RETURN QUERY SELECT unfinished.agent_number, unfinished.panel_id, unfinished.agent_id, unfinished.unit_id;
  END LOOP;
END
$$;
