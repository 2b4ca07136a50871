-- Ingested batches, identified by their content. The service recognises a batch that is sent again, and completes it if the
-- first attempt failed. The service writes the row before it writes to ClickHouse, so that a batch with an unknown outcome has
-- a row that says so.
CREATE TABLE ingest_batches (
  organisation_id integer NOT NULL REFERENCES organisations,
  test text NOT NULL,
  -- Hash of the rows, and of the options that decide how the rows are parsed.
  sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
  attempts integer NOT NULL DEFAULT 1,
  -- End of the lease of the instance that stores the batch. After this time, another instance can take over the batch. The
  -- lease is not a lock: if two instances store the same batch, this is slow but correct.
  leased_until timestamptz,
  begun_at timestamptz NOT NULL DEFAULT now(),
  -- The time when the batch was stored. Null if the outcome of the last attempt is unknown.
  stored_at timestamptz,
  accepted bigint NOT NULL DEFAULT 0,
  duplicates bigint NOT NULL DEFAULT 0,
  rejected bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organisation_id, test, sha256)
);
CREATE INDEX ingest_batches_age ON ingest_batches (begun_at);
-- Batches with rejected rows are stored for more than a year. With this index, the hourly purge of the other batches does not
-- read them. `rejected` is 0 from the start, so the end of a batch without rejected rows changes no index.
CREATE INDEX ingest_batches_whole ON ingest_batches (begun_at) WHERE rejected = 0;

-- The progress of files that an operator imports.
CREATE TABLE import_files (
  organisation_id integer NOT NULL REFERENCES organisations,
  test text NOT NULL,
  path text NOT NULL,
  -- If a file has another size or modification time, it counts as changed.
  bytes bigint NOT NULL,
  modified_at timestamptz NOT NULL,
  -- Offset in the decompressed file. All rows before it are stored.
  bytes_done bigint NOT NULL DEFAULT 0,
  accepted bigint NOT NULL DEFAULT 0,
  duplicates bigint NOT NULL DEFAULT 0,
  rejected bigint NOT NULL DEFAULT 0,
  started_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  -- True if rows of the file may already be stored without a record of their batches: the file was changed after an import,
  -- was imported long ago (records are purged after a month), or was imported for another panel. The import then compares the
  -- rows with the stored ones, also if it is interrupted and resumed.
  anew boolean NOT NULL DEFAULT false,
  -- A published file is imported for one panel; rows of agents on other panels are skipped. Null if the file is not imported
  -- for a particular panel.
  panel_id integer REFERENCES panels,
  UNIQUE NULLS NOT DISTINCT (organisation_id, test, path, panel_id)
);
