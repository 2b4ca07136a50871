-- A definer function runs as the owner of the schema. With the caller's temporary schema in front, which is where it is when a
-- search_path does not name it, the caller's tables would take the place of ours. pg_temp is therefore named, and last.
--
-- Functions of later migrations say SET search_path = pg_catalog, public, pg_temp themselves; test/engine/postgres/schema/definer-functions.test.ts
-- insists on it.
DO $$
DECLARE
  definer regprocedure;
BEGIN
  FOR definer IN SELECT oid FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', definer);
  END LOOP;
END
$$;

-- Who may create functions and operators in public can make better matches for calls than those of pg_catalog.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- A request names agents, units and values of metadata in its filters, and may be long. It is needed until the export is written;
-- what lists show is kept beside it, as JSON. By a trigger, so that no way to finish an export forgets it.
ALTER TABLE exports ALTER COLUMN request DROP NOT NULL, ADD COLUMN summary text;
CREATE FUNCTION drop_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.request := NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER exports_drop_request BEFORE UPDATE ON exports FOR EACH ROW
  WHEN (NEW.status IN ('complete', 'failed', 'cancelled') AND NEW.request IS NOT NULL) EXECUTE FUNCTION drop_request();
UPDATE exports SET request = NULL WHERE status IN ('complete', 'failed', 'cancelled');
