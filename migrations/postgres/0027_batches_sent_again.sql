-- A body with rejected rows is sent again until they are accepted. Were it forgotten, the engine, which remembers what it
-- has stored longer or shorter than this, would take the new rows for a repetition of the old ones, or store the old ones
-- twice: such a batch, and one nobody knows the end of, is kept for more than a year.
CREATE OR REPLACE FUNCTION purge_ingest_batches(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM ingest_batches WHERE begun_at < now() - older_than
    AND (rejected = 0 AND stored_at < now() - older_than OR begun_at < now() - 13 * older_than);
END;
