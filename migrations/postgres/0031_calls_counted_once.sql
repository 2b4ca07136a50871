-- Counts of calls whose answer was lost may have been added or not, so they are sent again, under the number they had. The
-- last number of each copy of the service is kept here; a copy sends the next one only when this one has been answered.
CREATE TABLE noted_calls (
  copy uuid PRIMARY KEY,
  number bigint NOT NULL,
  noted_at timestamptz NOT NULL
)
-- Rows are updated in place all the time.
WITH (fillfactor = 50);
ALTER TABLE noted_calls ENABLE ROW LEVEL SECURITY;
ALTER TABLE noted_calls FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON noted_calls TO broadgauge_operator USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON noted_calls TO broadgauge_operator;

-- Adds to the counts, unless this number of the copy was added before. Whoever sends it again while the first is still
-- under way waits for it here. The former one is for copies of before.
CREATE FUNCTION note_api_calls(
  own_copy uuid, own_number bigint,
  organisation_ids integer[], token_ids integer[], endpoints text[], statuses smallint[], days date[], counts bigint[]
) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO noted_calls AS noted (copy, number, noted_at) VALUES (own_copy, own_number, now())
  ON CONFLICT (copy) DO UPDATE SET number = excluded.number, noted_at = excluded.noted_at
  WHERE noted.number < excluded.number;
  IF FOUND THEN
    PERFORM note_api_calls(organisation_ids, token_ids, endpoints, statuses, days, counts);
  END IF;
END
$$;

-- Of copies that are gone. One that was cut off for so long may count its last second twice.
CREATE FUNCTION purge_noted_calls(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM noted_calls WHERE noted_at < now() - older_than;
END;

REVOKE ALL ON FUNCTION note_api_calls(uuid, bigint, integer[], integer[], text[], smallint[], date[], bigint[]),
  purge_noted_calls(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_api_calls(uuid, bigint, integer[], integer[], text[], smallint[], date[], bigint[]),
  purge_noted_calls(interval) TO broadgauge_service;
