-- As begin_query, which older copies of the service call, and answers for a query that may run how many of its organisation
-- run already: the more, the less of the engine's processors it gets while others want them.
CREATE FUNCTION admit_query(
  query uuid, organisation integer, token integer, own_copy uuid, lease interval,
  organisation_queries integer, token_queries integer, organisation_seconds double precision, token_seconds double precision
) RETURNS TABLE (refused_by text, retry_ms double precision, others integer)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  of_organisation integer;
  of_token integer;
  wait_ms double precision := 0;
BEGIN
  -- One at a time for each organisation, or two could both take the last place.
  PERFORM pg_advisory_xact_lock(7041931, organisation);
  IF organisation_seconds > 0 THEN
    wait_ms := greatest(wait_ms, -60 / organisation_seconds
      * fill_bucket('engine-ms', 'o' || organisation, 1000 * organisation_seconds, 1000 * organisation_seconds / 60));
  END IF;
  IF token_seconds > 0 THEN
    wait_ms := greatest(wait_ms, -60 / token_seconds
      * fill_bucket('engine-ms', 't' || token, 1000 * token_seconds, 1000 * token_seconds / 60));
  END IF;
  IF wait_ms > 0 THEN
    RETURN QUERY SELECT 'engine-seconds', wait_ms, 0;
    RETURN;
  END IF;
  SELECT count(*), count(*) FILTER (WHERE token_id = token) INTO of_organisation, of_token
  FROM running_queries WHERE organisation_id = organisation AND leased_until > clock_timestamp();
  IF (organisation_queries > 0 AND of_organisation >= organisation_queries)
    OR (token_queries > 0 AND of_token >= token_queries) THEN
    RETURN QUERY SELECT 'queries', 1000::double precision, of_organisation;
    RETURN;
  END IF;
  INSERT INTO running_queries (id, organisation_id, token_id, copy, leased_until)
  VALUES (query, organisation, token, own_copy, clock_timestamp() + lease);
  RETURN QUERY SELECT NULL, 0::double precision, of_organisation;
END
$$;

REVOKE ALL ON FUNCTION admit_query(uuid, integer, integer, uuid, interval, integer, integer, double precision, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit_query(uuid, integer, integer, uuid, interval, integer, integer, double precision, double precision) TO broadgauge_service;
