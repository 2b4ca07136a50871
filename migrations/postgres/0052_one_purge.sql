-- Reading an agent's metadata is an ordinary read of a tenant, limited by row-level security.
DROP FUNCTION authenticate_for_agents(bytea, text[], text[]);

-- Removes at most `rows_max` rows of `subject` that are older than `older_than`, and answers how many: fewer is the end.
CREATE FUNCTION purge(subject text, older_than interval, rows_max integer) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  purged integer;
BEGIN
  CASE subject
    WHEN 'idempotency_keys' THEN
      DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_keys WHERE created_at < now() - older_than ORDER BY created_at LIMIT rows_max));
    WHEN 'ingest_batches' THEN
      DELETE FROM ingest_batches WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ingest_batches
        WHERE rejected = 0 AND begun_at < now() - older_than AND stored_at < now() - older_than
        ORDER BY begun_at LIMIT rows_max));
    -- Also those that were never finished.
    WHEN 'rejected_ingest_batches' THEN
      DELETE FROM ingest_batches WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ingest_batches WHERE begun_at < now() - older_than ORDER BY begun_at LIMIT rows_max));
    WHEN 'noted_calls' THEN
      DELETE FROM noted_calls WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM noted_calls WHERE noted_at < now() - older_than LIMIT rows_max));
    WHEN 'api_calls' THEN
      DELETE FROM api_calls WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM api_calls WHERE day < ((now() - older_than) AT TIME ZONE 'UTC')::date ORDER BY day LIMIT rows_max));
    -- A bucket that was not used for so long is full, and as good as none. An overdrawn one may take longer to fill, and
    -- stays thirty times as long. No index on the age: every request would have to maintain it.
    WHEN 'token_buckets' THEN
      DELETE FROM limit_buckets WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM limit_buckets
        WHERE kind IN ('requests', 'engine-ms') AND limit_buckets.subject LIKE 't%'
          AND filled_at < now() - CASE WHEN balance < 0 THEN 30 ELSE 1 END * older_than
        LIMIT rows_max));
    WHEN 'sign_in_buckets' THEN
      DELETE FROM limit_buckets WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM limit_buckets WHERE kind LIKE 'sign-in-%' AND filled_at < now() - older_than LIMIT rows_max));
    -- Ended, or past its hours, whichever came first. Its token has ended before it.
    WHEN 'sessions' THEN
      DELETE FROM sessions WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sessions WHERE least(ended_at, expires_at) < now() - older_than LIMIT rows_max));
    WHEN 'people_events' THEN
      DELETE FROM people_events WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM people_events WHERE happened_at < now() - older_than LIMIT rows_max));
    -- An object that is left in the storage belongs to no export then, and is removed as such.
    WHEN 'exports' THEN
      DELETE FROM exports WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM exports
        WHERE status IN ('complete', 'failed', 'cancelled') AND expires_at < now() - older_than LIMIT rows_max));
  END CASE;
  GET DIAGNOSTICS purged = ROW_COUNT;
  RETURN purged;
END
$$;
REVOKE ALL ON FUNCTION purge(text, interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge(text, interval, integer) TO broadgauge_service;

DROP FUNCTION purge_idempotency_keys(interval), purge_ingest_batches(interval), purge_ingest_batches(interval, integer),
  purge_noted_calls(interval), purge_api_calls(interval, integer), purge_token_buckets(interval, integer),
  purge_sign_ins(interval), purge_sessions(interval), purge_people_events(interval), purge_exports();
