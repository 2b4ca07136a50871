-- Batches with rejected rows stay for more than a year, and the purge read all of them each hour; and what it removed it
-- removed at once, which after a busy hour took longer than it may. Where nothing was rejected, `rejected` is 0 from the
-- beginning: finishing such a batch changes no index.
CREATE INDEX ingest_batches_whole ON ingest_batches (begun_at) WHERE rejected = 0;

-- At most `rows_max` of each kind; answers how many of the more numerous kind, so that fewer than that is the end. The
-- former one is for copies of before.
CREATE FUNCTION purge_ingest_batches(older_than interval, rows_max integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  whole bigint;
  old bigint;
BEGIN
  DELETE FROM ingest_batches WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ingest_batches
    WHERE rejected = 0 AND begun_at < now() - older_than AND stored_at < now() - older_than
    ORDER BY begun_at LIMIT rows_max));
  GET DIAGNOSTICS whole = ROW_COUNT;
  DELETE FROM ingest_batches WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ingest_batches WHERE begun_at < now() - 13 * older_than ORDER BY begun_at LIMIT rows_max));
  GET DIAGNOSTICS old = ROW_COUNT;
  RETURN greatest(whole, old);
END;
$$;
REVOKE ALL ON FUNCTION purge_ingest_batches(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_ingest_batches(interval, integer) TO broadgauge_service;
