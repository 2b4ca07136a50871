-- What has been ingested, by content: the same batch sent again is recognised, and completed when its first attempt was not.
--
-- A row is written before the engine is asked, so that a batch whose fate is unknown is known to be so.
CREATE TABLE ingest_batches (
  organisation_id integer NOT NULL REFERENCES organisations,
  test text NOT NULL,
  -- Of the rows and how they are to be read.
  sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
  attempts integer NOT NULL DEFAULT 1,
  -- Somebody is at it until then, or has died. Not a fence: two at once are slow, not wrong.
  leased_until timestamptz,
  begun_at timestamptz NOT NULL DEFAULT now(),
  -- Null: nobody knows how far the last attempt came.
  stored_at timestamptz,
  accepted bigint NOT NULL DEFAULT 0,
  duplicates bigint NOT NULL DEFAULT 0,
  rejected bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organisation_id, test, sha256)
);
CREATE INDEX ingest_batches_age ON ingest_batches (begun_at);

-- Files an operator imports: how far each has come.
CREATE TABLE import_files (
  organisation_id integer NOT NULL REFERENCES organisations,
  test text NOT NULL,
  path text NOT NULL,
  -- A file of another size or time is another file.
  bytes bigint NOT NULL,
  modified_at timestamptz NOT NULL,
  -- Of the expanded file: everything before it is stored.
  bytes_done bigint NOT NULL DEFAULT 0,
  accepted bigint NOT NULL DEFAULT 0,
  duplicates bigint NOT NULL DEFAULT 0,
  rejected bigint NOT NULL DEFAULT 0,
  started_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (organisation_id, test, path)
);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['ingest_batches', 'import_files'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', tenant_table);
  END LOOP;
END
$$;
CREATE POLICY tenant ON ingest_batches TO broadgauge_service USING (organisation_id = current_organisation());

CREATE FUNCTION purge_ingest_batches(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM ingest_batches WHERE begun_at < now() - older_than;
END;
REVOKE ALL ON FUNCTION purge_ingest_batches(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_ingest_batches(interval) TO broadgauge_service;

GRANT SELECT, INSERT, UPDATE ON ingest_batches TO broadgauge_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON ingest_batches, import_files TO broadgauge_operator;
