-- Identifiers of agents, the recorded kinds and values of panels, and erasures.

-- Returns the form in which identifiers are compared: without punctuation and case. agents.agent_key and agents.mac_key store
-- the result, so a change of this function needs a numbered migration that rewrites both columns.
CREATE OR REPLACE FUNCTION identifier_key(identifier text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(regexp_replace(identifier, '[^A-Za-z0-9]', '', 'g') COLLATE "C");

CREATE OR REPLACE FUNCTION record_panel_kinds() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO panel_kinds (panel_id, kind)
  SELECT DISTINCT panel_id, kind FROM written
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

-- It is enough to look at current_metadata: a change sets a field for a day and every later day, so the current row contains
-- the field when it is first set.
CREATE OR REPLACE FUNCTION record_panel_custom_fields() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO panel_custom_fields (panel_id, field_id)
  SELECT DISTINCT given.panel_id, custom_fields.id
  FROM (SELECT DISTINCT panel_id, custom FROM written WHERE custom <> '{}') AS given
    JOIN panels ON panels.id = given.panel_id
    CROSS JOIN jsonb_object_keys(given.custom) AS field
    JOIN custom_fields ON custom_fields.organisation_id = panels.owner_id AND custom_fields.key = field
  WHERE NOT EXISTS (
    SELECT FROM panel_custom_fields AS known
    WHERE known.panel_id = given.panel_id AND known.field_id = custom_fields.id
  )
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

-- Adds values to panel_values. Known values are not written again, so that changes without new values do not wait for each
-- other. The rows are written in a fixed order, so that changes with new values cannot deadlock. A value that is too long for
-- an index is not listed.
CREATE OR REPLACE FUNCTION record_panel_values(panels integer[], subjects text[], given text[]) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  INSERT INTO panel_values (panel_id, subject, folded, value)
  SELECT DISTINCT one.panel_id, one.subject, lower(one.value) AS folded, one.value
  FROM unnest(panels, subjects, given) AS one (panel_id, subject, value)
  WHERE octet_length(one.value) <= 1000 AND NOT EXISTS (
    SELECT FROM panel_values AS known
    WHERE known.panel_id = one.panel_id AND known.subject = one.subject
      AND known.folded = lower(one.value) AND known.value = one.value
  )
  ORDER BY 1, 2, 3, 4
  ON CONFLICT DO NOTHING;
END;
REVOKE ALL ON FUNCTION record_panel_values FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_panel_values TO broadgauge_operator;

CREATE OR REPLACE FUNCTION record_values_of_agents() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_panel_values(array_agg(panel_id), array_agg(subject), array_agg(value))
  FROM (
    SELECT DISTINCT panel_id, 'base' AS subject, base AS value FROM written WHERE base IS NOT NULL
    UNION ALL
    SELECT DISTINCT panel_id, 'country', country FROM written WHERE country IS NOT NULL
  ) AS found;
  RETURN NULL;
END
$$;

-- It is enough to look at current_metadata: a change sets a value for a day and every later day, so the current row contains
-- the value when it is set.
CREATE OR REPLACE FUNCTION record_values_of_metadata() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_panel_values(array_agg(panel_id), array_agg(subject), array_agg(value))
  FROM (
    SELECT said.panel_id, 'isp' AS subject, isps.name AS value
    FROM (SELECT DISTINCT panel_id, isp_id FROM written WHERE isp_id IS NOT NULL) AS said JOIN isps ON isps.id = isp_id
    UNION ALL
    SELECT said.panel_id, 'package', isps.name || ':' || packages.name
    FROM (SELECT DISTINCT panel_id, package_id FROM written WHERE package_id IS NOT NULL) AS said
      JOIN packages ON packages.id = package_id JOIN isps ON isps.id = packages.isp_id
    UNION ALL
    SELECT DISTINCT said.panel_id, 'custom.' || custom_fields.id, pair.value
    FROM (SELECT DISTINCT panel_id, custom FROM written WHERE custom <> '{}') AS said
      JOIN panels ON panels.id = said.panel_id
      CROSS JOIN jsonb_each_text(said.custom) AS pair
      JOIN custom_fields ON custom_fields.organisation_id = panels.owner_id AND custom_fields.key = pair.key
    WHERE pair.value IS NOT NULL
  ) AS found;
  RETURN NULL;
END
$$;

-- Erases an agent from this database and returns every unfinished erasure of the identifier. There can be several: an agent
-- that is registered again before its erasure has finished gets another number, and is then erased separately. A transaction
-- that read the agent before it was erased can write an event afterwards. Therefore the function cleans the events of every
-- unfinished erasure, even if the agent was already gone.
CREATE OR REPLACE FUNCTION begin_erasure(identifier text)
RETURNS TABLE (agent_number integer, panel_id integer, agent_id text, unit_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  found agents%ROWTYPE;
  unfinished erasures%ROWTYPE;
BEGIN
  SELECT * INTO found FROM agents WHERE agent_key = identifier_key(identifier) FOR UPDATE;
  IF found.id IS NOT NULL THEN
    -- Waits for a running change of the agent's metadata. Later changes do not find the agent.
    PERFORM FROM current_metadata WHERE current_metadata.agent_id = found.id FOR UPDATE;
    INSERT INTO erasures (agent_number, panel_id, agent_id, unit_id)
    VALUES (found.id, found.panel_id, found.agent_id, found.unit_id);
    -- Removes custom values that only this agent has had. Models, countries, ISPs and packages do not identify a person.
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
    -- Removes the request from events if it contains an identifier of this agent, or if the event concerns no other agent. The
    -- event itself stays.
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
REVOKE ALL ON FUNCTION begin_erasure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_erasure TO broadgauge_operator;

CREATE OR REPLACE FUNCTION finish_erasure(number integer) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE erasures SET agent_id = NULL, unit_id = NULL, finished_at = now() WHERE agent_number = number;
END;
REVOKE ALL ON FUNCTION finish_erasure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION finish_erasure TO broadgauge_operator;
