-- Exports: files of metric or test data that callers have asked for, and the queue of those that are still to be written.
CREATE TABLE exports (
  -- Random: it stands in addresses.
  id uuid PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  source text NOT NULL CHECK (source IN ('metric_data', 'test_data')),
  format text NOT NULL,
  -- JSON as text: jsonb refuses the NUL that a filter may well look for.
  request text NOT NULL,
  file_name text NOT NULL,
  request_id text NOT NULL,
  -- Relative dates of the request are counted from here, however often it is tried.
  created_at timestamptz NOT NULL,
  -- Results stored from then on, by the engine's clock, are not in it.
  stored_before timestamptz NOT NULL,
  -- A cancelled one is there for whoever still writes it; to its owner it is gone.
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'complete', 'failed', 'cancelled')),
  -- Also in the name of the object: two attempts never write to the same one.
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT now(),
  -- Somebody writes it until then, or has died.
  leased_until timestamptz,
  progress real NOT NULL DEFAULT 0,
  rows bigint,
  bytes bigint,
  -- For the caller.
  failure text,
  finished_at timestamptz,
  expires_at timestamptz NOT NULL,
  CHECK ((status = 'running') = (leased_until IS NOT NULL)),
  CHECK (status <> 'complete' OR (rows IS NOT NULL AND bytes IS NOT NULL))
);
CREATE INDEX exports_open ON exports (created_at) WHERE status IN ('queued', 'running');
CREATE INDEX exports_age ON exports (expires_at);

ALTER TABLE exports ENABLE ROW LEVEL SECURITY;
ALTER TABLE exports FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON exports TO broadgauge_operator USING (true);
CREATE POLICY tenant ON exports TO broadgauge_service USING (organisation_id = current_organisation());
GRANT SELECT, INSERT, UPDATE ON exports TO broadgauge_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON exports TO broadgauge_operator;

-- The next export to write, whoever's it is. Organisations that have fewer running come first. One whose writer has fallen
-- silent is taken over; after too many failures nobody tries again.
CREATE FUNCTION claim_export(lease interval, running_max integer, failures_max integer) RETURNS SETOF exports
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  -- Claims take turns: two at once could both find an organisation one below its limit.
  PERFORM pg_advisory_xact_lock(7041931005);
  UPDATE exports SET status = 'failed', leased_until = NULL, failures = failures + 1, finished_at = now(),
    failure = 'The export could not be written; ask for it again later.'
  WHERE status = 'running' AND leased_until < now() AND failures + 1 >= failures_max;
  RETURN QUERY
  UPDATE exports claimed SET status = 'running', leased_until = now() + lease, attempt = claimed.attempt + 1, progress = 0,
    failures = claimed.failures + (claimed.status = 'running')::integer
  WHERE claimed.id = (
    SELECT waiting.id FROM exports waiting
    CROSS JOIN LATERAL (
      SELECT count(*) AS running FROM exports other
      WHERE other.organisation_id = waiting.organisation_id AND other.status = 'running' AND other.leased_until >= now()
    ) same
    WHERE ((waiting.status = 'queued' AND waiting.not_before <= now())
        OR (waiting.status = 'running' AND waiting.leased_until < now()))
      AND same.running < running_max
    ORDER BY same.running, waiting.created_at, waiting.id
    LIMIT 1
    FOR UPDATE OF waiting SKIP LOCKED
  )
  RETURNING claimed.*;
END
$$;

-- Of these exports, the attempts whose objects are wanted: the one that is being written, or the one that is complete.
CREATE FUNCTION find_kept_exports(ids uuid[]) RETURNS TABLE (id uuid, attempt integer, running boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT e.id, e.attempt, e.status = 'running' FROM exports e
  WHERE e.id = ANY (ids) AND (e.status = 'running' OR (e.status = 'complete' AND e.expires_at > now()));
END;

-- What nobody can ask for any more. An object that is left belongs to no export then, and is removed as such.
CREATE FUNCTION purge_exports() RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM exports WHERE status IN ('complete', 'failed', 'cancelled') AND expires_at < now();
END;

REVOKE ALL ON FUNCTION claim_export(interval, integer, integer), find_kept_exports(uuid[]), purge_exports() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_export(interval, integer, integer), find_kept_exports(uuid[]), purge_exports()
  TO broadgauge_service;
