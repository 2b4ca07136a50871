-- A query is charged when it is over. While one of ten minutes ran, any other one had the bucket stop at its brim, so that the
-- ten minutes were taken out of one minute's seconds and its owner was refused for minutes. A second of a query that runs is
-- one that will be charged: for each the brim is that much higher.
ALTER TABLE running_queries ADD COLUMN begun_at timestamptz NOT NULL DEFAULT clock_timestamp();

CREATE OR REPLACE FUNCTION admit_query(
  query uuid, organisation integer, token integer, own_copy uuid, lease interval,
  organisation_queries integer, token_queries integer, organisation_seconds double precision, token_seconds double precision
) RETURNS TABLE (refused_by text, retry_ms double precision, others integer)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  of_organisation integer;
  of_token integer;
  organisation_unpaid double precision;
  token_unpaid double precision;
  wait_ms double precision := 0;
BEGIN
  -- One at a time for each organisation, or two could both take the last place.
  PERFORM pg_advisory_xact_lock(7041931, organisation);
  SELECT count(*), count(*) FILTER (WHERE token_id = token),
    coalesce(sum(unpaid), 0), coalesce(sum(unpaid) FILTER (WHERE token_id = token), 0)
  INTO of_organisation, of_token, organisation_unpaid, token_unpaid
  FROM (
    SELECT token_id, greatest(0, 1000 * extract(epoch FROM clock_timestamp() - begun_at)::double precision) AS unpaid
    FROM running_queries WHERE organisation_id = organisation AND leased_until > clock_timestamp()
  ) AS running;
  IF organisation_seconds > 0 THEN
    wait_ms := greatest(wait_ms, -60 / organisation_seconds * fill_bucket('engine-ms', 'o' || organisation,
      1000 * organisation_seconds + organisation_unpaid, 1000 * organisation_seconds / 60));
  END IF;
  IF token_seconds > 0 THEN
    wait_ms := greatest(wait_ms, -60 / token_seconds * fill_bucket('engine-ms', 't' || token,
      1000 * token_seconds + token_unpaid, 1000 * token_seconds / 60));
  END IF;
  IF wait_ms > 0 THEN
    RETURN QUERY SELECT 'engine-seconds', wait_ms, 0;
    RETURN;
  END IF;
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
