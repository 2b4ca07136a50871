-- The queue of exports.

-- Claims the next export of any organisation. Organisations with fewer running exports come first. An export whose lease has
-- expired is claimed again. After failures_max failures, the status of the export is 'failed', and it is not claimed again.
CREATE OR REPLACE FUNCTION claim_export(lease interval, running_max integer, failures_max integer) RETURNS SETOF exports
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- Only one claim runs at a time. Two concurrent claims could both find that an organisation is one below its limit.
  PERFORM pg_advisory_xact_lock(7041931005);
  UPDATE exports SET status = 'failed', leased_until = NULL, failures = failures + 1, finished_at = now(),
    failure = 'The export could not be written. Request it again later, with another Idempotency-Key or none.'
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
REVOKE ALL ON FUNCTION claim_export FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_export TO broadgauge_service;

-- Returns the attempts of these exports whose objects must be kept: attempts that are being written, and complete ones.
CREATE OR REPLACE FUNCTION find_kept_exports(ids uuid[]) RETURNS TABLE (id uuid, attempt integer, running boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT e.id, e.attempt, e.status = 'running' FROM exports e
  WHERE e.id = ANY (ids) AND (e.status = 'running' OR (e.status = 'complete' AND e.expires_at > now()));
END;
REVOKE ALL ON FUNCTION find_kept_exports FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_kept_exports TO broadgauge_service;

-- Counts the unfinished exports of all organisations by status, for the operator's metrics.
CREATE OR REPLACE FUNCTION count_exports() RETURNS TABLE (status text, exports bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT e.status, count(*) FROM exports e WHERE e.status IN ('queued', 'running') GROUP BY e.status;
END;
REVOKE ALL ON FUNCTION count_exports FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_exports TO broadgauge_service;

-- Removes the request of a finished export. Its filters contain agents, units and metadata values, and it can be long. It is
-- needed only until the export is written, because lists show the summary. This is a trigger, so that every statement that
-- finishes an export removes the request.
CREATE OR REPLACE FUNCTION drop_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.request := NULL;
  RETURN NEW;
END
$$;
