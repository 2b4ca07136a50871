-- A body with rejected rows is sent again until they are accepted: it is known for as long after the last time as after the
-- first, or its other rows would be stored twice.
CREATE OR REPLACE FUNCTION purge_ingest_batches(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM ingest_batches WHERE begun_at < now() - older_than AND coalesce(stored_at, begun_at) < now() - older_than;
END;
