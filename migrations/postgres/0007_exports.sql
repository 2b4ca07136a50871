-- Exports: files with metric or test data that callers have requested. The table is also the queue of exports that are not
-- written yet.
CREATE TABLE exports (
  -- Random, because the id is part of URLs.
  id uuid PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  source text NOT NULL CHECK (source IN ('metric_data', 'test_data')),
  format text NOT NULL,
  -- JSON as text, because jsonb refuses the character NUL, which a filter value may contain. Null when the export has finished:
  -- see drop_request.
  request text,
  file_name text NOT NULL,
  request_id text NOT NULL,
  -- In every attempt, relative dates of the request are relative to this time.
  created_at timestamptz NOT NULL,
  -- The export excludes results that are stored at or after this time, by ClickHouse's clock.
  stored_before timestamptz NOT NULL,
  -- The status of the export. A cancelled export stays in the table, because an instance may still be writing it and must see
  -- the status. The API responds as if the export did not exist.
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'complete', 'failed', 'cancelled')),
  -- Part of the object's name, so that two attempts never write the same object.
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT now(),
  -- End of the lease of the instance that writes the export. After this time, another instance can take over the export.
  leased_until timestamptz,
  progress real NOT NULL DEFAULT 0,
  rows bigint,
  bytes bigint,
  -- Message for the caller if the export has failed.
  failure text,
  finished_at timestamptz,
  expires_at timestamptz NOT NULL,
  -- Key of the audit record of the request, as JSON, and the trace of the request. Null if there is none.
  audit_key text,
  traceparent text,
  -- JSON with the fields of the request that lists show.
  summary text NOT NULL,
  -- Warnings about the request, such as a filter value that no agent or result has.
  warnings jsonb NOT NULL DEFAULT '[]',
  CHECK ((status = 'running') = (leased_until IS NOT NULL)),
  CHECK (status <> 'complete' OR (rows IS NOT NULL AND bytes IS NOT NULL))
);
CREATE INDEX exports_open ON exports (created_at) WHERE status IN ('queued', 'running');
CREATE INDEX exports_age ON exports (expires_at);
-- Counts the unfinished exports of an organisation before the service accepts another one.
CREATE INDEX exports_unfinished ON exports (organisation_id) WHERE status IN ('queued', 'running');
-- Counts the running exports of an organisation when an instance claims the next one.
CREATE INDEX exports_running ON exports (organisation_id) WHERE status = 'running';

CREATE TRIGGER exports_drop_request BEFORE UPDATE ON exports FOR EACH ROW
  WHEN (NEW.status IN ('complete', 'failed', 'cancelled') AND NEW.request IS NOT NULL) EXECUTE FUNCTION drop_request();
