-- The last step of the way into the engine: a settled event is shed when the small dictionaries have been read again since.
-- Until then they may show an agent as it was before, and they are asked first. Whoever settles does both; this says to
-- the others when it died, or the engine did, in between.
ALTER TABLE metadata_events ADD COLUMN shed boolean NOT NULL DEFAULT true;
ALTER TABLE metadata_events ALTER COLUMN shed SET DEFAULT false;
UPDATE metadata_events SET shed = false WHERE settled_at IS NULL;
CREATE INDEX metadata_events_unshed ON metadata_events (id) WHERE settled_at IS NOT NULL AND NOT shed;

CREATE FUNCTION find_unshed_events() RETURNS TABLE (id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT id FROM metadata_events WHERE settled_at IS NOT NULL AND NOT shed ORDER BY id;
END;

CREATE FUNCTION note_shed(event_ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE metadata_events SET shed = true WHERE id = ANY (event_ids) AND NOT shed;
END;

REVOKE ALL ON FUNCTION find_unshed_events(), note_shed(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unshed_events(), note_shed(bigint[]) TO broadgauge_service;
