-- Functions for the dictionary reconciler of the service: they find the speeds that ClickHouse has not loaded, and record that
-- it has loaded them.
CREATE OR REPLACE FUNCTION find_unpublished_speeds() RETURNS TABLE (id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT id FROM package_speeds WHERE NOT published ORDER BY id;
END;
REVOKE ALL ON FUNCTION find_unpublished_speeds FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unpublished_speeds TO broadgauge_service;

CREATE OR REPLACE FUNCTION record_published_speeds(speed_ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE package_speeds SET published = true WHERE id = ANY (speed_ids) AND NOT published;
END;
REVOKE ALL ON FUNCTION record_published_speeds FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_published_speeds TO broadgauge_service;
