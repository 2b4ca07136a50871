-- Retention of everything except the audit trail.

-- Deletes at most `rows_max` rows of `subject` that are older than `older_than`. Returns the number of deleted rows. If it is
-- less than `rows_max`, no such rows are left.
CREATE OR REPLACE FUNCTION purge(subject text, older_than interval, rows_max integer) RETURNS integer
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
    -- This deletes unfinished batches too.
    WHEN 'rejected_ingest_batches' THEN
      DELETE FROM ingest_batches WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ingest_batches WHERE begun_at < now() - older_than ORDER BY begun_at LIMIT rows_max));
    WHEN 'recorded_calls' THEN
      DELETE FROM recorded_calls WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM recorded_calls WHERE recorded_at < now() - older_than LIMIT rows_max));
    WHEN 'api_calls' THEN
      DELETE FROM api_calls WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM api_calls WHERE day < ((now() - older_than) AT TIME ZONE 'UTC')::date ORDER BY day LIMIT rows_max));
    -- A bucket that was not used for `older_than` is full, which is equivalent to no bucket. A bucket with a negative balance
    -- can take longer to fill, so it is deleted thirty times as late. There is no index on the age, because every request
    -- would have to update it.
    WHEN 'token_buckets' THEN
      DELETE FROM limit_buckets WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM limit_buckets
        WHERE (kind = 'link-requests' OR kind IN ('requests', 'engine-ms') AND limit_buckets.subject LIKE 't%')
          AND filled_at < now() - CASE WHEN balance < 0 THEN 30 ELSE 1 END * older_than
        LIMIT rows_max));
    WHEN 'sign_in_buckets' THEN
      DELETE FROM limit_buckets WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM limit_buckets WHERE kind LIKE 'sign-in-%' AND filled_at < now() - older_than LIMIT rows_max));
    -- A session ends when it is ended or when it expires, whichever is first. Its token is not valid for longer.
    WHEN 'sessions' THEN
      DELETE FROM sessions WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sessions WHERE least(ended_at, expires_at) < now() - older_than LIMIT rows_max));
    WHEN 'people_events' THEN
      DELETE FROM people_events WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM people_events WHERE happened_at < now() - older_than LIMIT rows_max));
    WHEN 'question_links' THEN
      DELETE FROM question_links WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM question_links WHERE expires_at < now() - older_than ORDER BY expires_at LIMIT rows_max));
    -- If the object of a deleted export is still in the object storage, it belongs to no export. The export worker then
    -- removes it as an orphan.
    WHEN 'exports' THEN
      DELETE FROM exports WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM exports
        WHERE status IN ('complete', 'failed', 'cancelled') AND expires_at < now() - older_than LIMIT rows_max));
  END CASE;
  GET DIAGNOSTICS purged = ROW_COUNT;
  RETURN purged;
END
$$;
REVOKE ALL ON FUNCTION purge FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge TO broadgauge_service;
