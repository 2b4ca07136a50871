-- What agents of a panel have been said to have: models, countries, ISPs, packages, custom values. For the lists of values a
-- filter can take, which must not look at ten million agents at every keystroke. Only ever added to, like panel_kinds:
-- results from before a change are still there to be asked for.
CREATE TABLE panel_values (
  panel_id integer NOT NULL REFERENCES panels,
  -- 'country', 'base', 'isp', 'package', or 'custom.' and the number of the field.
  subject text COLLATE "C" NOT NULL,
  -- The value in lower case, by which it is looked for.
  folded text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (panel_id, subject, folded, value)
);
ALTER TABLE panel_values ENABLE ROW LEVEL SECURITY;
ALTER TABLE panel_values FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON panel_values TO broadgauge_operator USING (true);
CREATE POLICY tenant ON panel_values FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
GRANT SELECT, INSERT ON panel_values TO broadgauge_operator;
GRANT SELECT ON panel_values TO broadgauge_service;

-- Identifiers are looked for in the agents themselves, in their order.
CREATE INDEX agents_panel_key ON agents (panel_id, agent_key COLLATE "C");
CREATE INDEX agents_panel_unit ON agents (panel_id, unit_id);
DROP INDEX agents_panel;

-- Values that are there already are not written, so that changes which say nothing new do not wait for one another. In one
-- order, so that those which do cannot wait in a circle. A longer value than an index can hold is not listed.
CREATE FUNCTION note_panel_values(panels integer[], subjects text[], given text[]) RETURNS void
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
REVOKE ALL ON FUNCTION note_panel_values(integer[], text[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_panel_values(integer[], text[], text[]) TO broadgauge_operator;

CREATE FUNCTION note_values_of_agents() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_panel_values(array_agg(panel_id), array_agg(subject), array_agg(value))
  FROM (
    SELECT DISTINCT panel_id, 'base' AS subject, base AS value FROM written WHERE base IS NOT NULL
    UNION ALL
    SELECT DISTINCT panel_id, 'country', country FROM written WHERE country IS NOT NULL
  ) AS found;
  RETURN NULL;
END
$$;
CREATE TRIGGER agents_inserted_values AFTER INSERT ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_values_of_agents();
CREATE TRIGGER agents_updated_values AFTER UPDATE ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_values_of_agents();

-- A value is set for a day and every later one, so it is in the current row at the moment it is set.
CREATE FUNCTION note_values_of_metadata() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_panel_values(array_agg(panel_id), array_agg(subject), array_agg(value))
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
CREATE TRIGGER current_metadata_updated_values AFTER UPDATE ON current_metadata
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_values_of_metadata();

-- For agents and metadata of an earlier version, past spans included.
INSERT INTO panel_values (panel_id, subject, folded, value)
SELECT DISTINCT panel_id, subject, lower(value), value
FROM (
  SELECT panel_id, 'base' AS subject, base AS value FROM agents
  UNION ALL
  SELECT panel_id, 'country', country FROM agents
  UNION ALL
  SELECT panel_id, 'isp', isps.name FROM spans JOIN agents ON agents.id = spans.agent_id JOIN isps ON isps.id = spans.isp_id
  UNION ALL
  SELECT panel_id, 'package', isps.name || ':' || packages.name
  FROM spans JOIN agents ON agents.id = spans.agent_id
    JOIN packages ON packages.id = spans.package_id JOIN isps ON isps.id = packages.isp_id
  UNION ALL
  SELECT agents.panel_id, 'custom.' || custom_fields.id, pair.value
  FROM spans JOIN agents ON agents.id = spans.agent_id JOIN panels ON panels.id = agents.panel_id
    CROSS JOIN jsonb_each_text(spans.custom) AS pair
    JOIN custom_fields ON custom_fields.organisation_id = panels.owner_id AND custom_fields.key = pair.key
) AS found
WHERE octet_length(value) <= 1000;
