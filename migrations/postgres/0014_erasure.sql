-- A person may ask that everything of their agent be erased. It leaves this register in one transaction; what to look for
-- in the other stores is kept until it is gone there too, so that an erasure that broke off can be taken up again.
CREATE TABLE erasures (
  -- The number the agent had in every fact row. Never given again.
  agent_number integer PRIMARY KEY,
  panel_id integer NOT NULL REFERENCES panels,
  -- Null from the end of the erasure on.
  agent_id text,
  unit_id bigint,
  begun_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
ALTER TABLE erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasures FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON erasures TO broadgauge_operator USING (true);
GRANT SELECT ON erasures TO broadgauge_operator;

-- By agent_id, compared without punctuation and case. No row: there is no such agent, and no erasure of it that broke off.
CREATE FUNCTION begin_erasure(identifier text)
RETURNS TABLE (agent_number integer, panel_id integer, agent_id text, unit_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  found agents%ROWTYPE;
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
    -- A request that named this agent, or was about it alone, tells of it; that there was a change is kept.
    UPDATE metadata_events SET
      agents = array_remove(agents, found.id),
      request = CASE
        WHEN cardinality(agents) = 1
          OR identifier_key(request -> 'agent' ->> 'agent_id') = found.agent_key
          OR request -> 'agent' ->> 'unit_id' = found.unit_id::text
          OR identifier_key(request -> 'agent' ->> 'mac_address') = found.mac_key
        THEN NULL ELSE request
      END
    WHERE agents @> ARRAY[found.id];
    DELETE FROM agents WHERE id = found.id;
  END IF;
  RETURN QUERY SELECT erasures.agent_number, erasures.panel_id, erasures.agent_id, erasures.unit_id FROM erasures
    WHERE finished_at IS NULL AND identifier_key(erasures.agent_id) = identifier_key(identifier);
END
$$;

CREATE FUNCTION finish_erasure(number integer) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE erasures SET agent_id = NULL, unit_id = NULL, finished_at = now() WHERE agent_number = number;
END;

REVOKE ALL ON FUNCTION begin_erasure(text), finish_erasure(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_erasure(text), finish_erasure(integer) TO broadgauge_operator;
