-- Custom fields that agents of a panel have had, so that a listing need not look at ten million agents. Whoever may read a
-- panel may ask by them; the other fields of its owner stay unknown. Only ever added to, like panel_kinds.
CREATE TABLE panel_custom_fields (
  panel_id integer NOT NULL REFERENCES panels,
  field_id integer NOT NULL REFERENCES custom_fields,
  PRIMARY KEY (panel_id, field_id)
);
ALTER TABLE panel_custom_fields ENABLE ROW LEVEL SECURITY;
ALTER TABLE panel_custom_fields FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON panel_custom_fields TO broadgauge_operator USING (true);
CREATE POLICY tenant ON panel_custom_fields FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
GRANT SELECT, INSERT ON panel_custom_fields TO broadgauge_operator;
GRANT SELECT ON panel_custom_fields TO broadgauge_service;

DROP POLICY tenant ON custom_fields;
CREATE POLICY tenant ON custom_fields FOR SELECT TO broadgauge_service USING (
  organisation_id = current_organisation() OR id IN (SELECT field_id FROM panel_custom_fields)
);

-- A field is set for a day and every later one, so it is in the current row at the moment it is first set.
CREATE FUNCTION note_panel_custom_fields() RETURNS trigger
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
CREATE TRIGGER current_metadata_updated AFTER UPDATE ON current_metadata
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_panel_custom_fields();

-- For fields set under an earlier version.
INSERT INTO panel_custom_fields (panel_id, field_id)
SELECT DISTINCT given.panel_id, custom_fields.id
FROM (SELECT DISTINCT panel_id, custom FROM current_metadata WHERE custom <> '{}') AS given
  JOIN panels ON panels.id = given.panel_id
  CROSS JOIN jsonb_object_keys(given.custom) AS field
  JOIN custom_fields ON custom_fields.organisation_id = panels.owner_id AND custom_fields.key = field;
