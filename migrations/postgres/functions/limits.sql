-- Rate limits, query slots, and limits on attempts to sign in.

-- Refills a bucket and returns its balance. If the clock was set back, filled_at is in the future. The bucket then gains
-- nothing in this call, and refills from the current time on.
CREATE OR REPLACE FUNCTION fill_bucket(
  bucket_kind text, bucket_subject text, full_balance double precision, per_second double precision
) RETURNS double precision
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  INSERT INTO limit_buckets AS bucket (kind, subject, balance, filled_at)
  VALUES (bucket_kind, bucket_subject, full_balance, clock_timestamp())
  ON CONFLICT (kind, subject) DO UPDATE SET
    balance = least(full_balance, bucket.balance
      + per_second * greatest(0, extract(epoch FROM clock_timestamp() - bucket.filled_at)::double precision)),
    filled_at = clock_timestamp()
  RETURNING bucket.balance;
END;
REVOKE ALL ON FUNCTION fill_bucket FROM PUBLIC;

-- Takes the tokens for up to `wanted` requests from two token buckets: the bucket of the organisation and the bucket of the
-- API token. If a bucket is empty, `granted` is 0, retry_ms is the time until both buckets have a bucket token again, and
-- `exhausted` names the bucket that needs this time: 'organisation' or 'token'.
CREATE OR REPLACE FUNCTION take_requests(
  organisation_id integer, token_id integer, wanted integer, organisation_rate double precision, token_rate double precision
) RETURNS TABLE (granted integer, remaining integer, retry_ms double precision, exhausted text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  of_organisation double precision := 'infinity';
  of_token double precision := 'infinity';
  organisation_ms double precision;
  token_ms double precision;
BEGIN
  -- The bucket of the organisation always comes first, so that two calls cannot deadlock.
  IF organisation_rate > 0 THEN
    of_organisation := fill_bucket('requests', 'o' || organisation_id, organisation_rate, organisation_rate);
  END IF;
  IF token_rate > 0 THEN
    of_token := fill_bucket('requests', 't' || token_id, token_rate, token_rate);
  END IF;
  granted := floor(least(of_organisation, of_token, wanted))::integer;
  IF granted > 0 THEN
    UPDATE limit_buckets SET balance = balance - granted
    WHERE kind = 'requests' AND subject IN ('o' || organisation_id, 't' || token_id);
  END IF;
  remaining := greatest(0, least(of_organisation, of_token, 1e9) - granted)::integer;
  organisation_ms := CASE WHEN organisation_rate > 0 THEN 1000 * (1 - of_organisation) / organisation_rate ELSE 0 END;
  token_ms := CASE WHEN token_rate > 0 THEN 1000 * (1 - of_token) / token_rate ELSE 0 END;
  retry_ms := CASE WHEN granted > 0 THEN 0 ELSE greatest(organisation_ms, token_ms) END;
  exhausted := CASE WHEN granted > 0 THEN NULL WHEN organisation_ms > token_ms THEN 'organisation' ELSE 'token' END;
  RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION take_requests FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_requests TO broadgauge_service;

-- Takes a query slot, or returns the reason for a refusal in refused_by: 'queries' (all slots are in use) or 'engine-seconds'
-- (the ClickHouse time is used up). `others` is the number of queries that the organisation already runs.
--
-- ClickHouse time is charged when a query ends, so the balance of a bucket can become negative. Its owner then waits until the
-- balance is zero. While a query runs, the maximum of the bucket is higher by the time that the query has run so far. Without
-- this, a query of ten minutes would be charged to the balance of one minute, and queries of its owner would be refused for
-- minutes.
CREATE OR REPLACE FUNCTION admit_query(
  query uuid, organisation integer, token integer, own_instance uuid, lease interval,
  organisation_queries integer, token_queries integer, organisation_seconds double precision, token_seconds double precision
) RETURNS TABLE (refused_by text, retry_ms double precision, others integer)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  of_organisation integer;
  of_token integer;
  organisation_unpaid double precision;
  token_unpaid double precision;
  wait_ms double precision := 0;
BEGIN
  -- Only one call per organisation runs at a time. Two concurrent calls could both take the last slot.
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
  INSERT INTO running_queries (id, organisation_id, token_id, instance, leased_until)
  VALUES (query, organisation, token, own_instance, clock_timestamp() + lease);
  RETURN QUERY SELECT NULL, 0::double precision, of_organisation;
END
$$;
REVOKE ALL ON FUNCTION admit_query FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit_query TO broadgauge_service;

-- Releases the slots of queries that have ended, and charges the cost of each query.
CREATE OR REPLACE FUNCTION end_queries(queries uuid[], costs_ms double precision[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  WITH ended AS (
    DELETE FROM running_queries USING unnest(queries, costs_ms) AS over (id, cost_ms)
    WHERE running_queries.id = over.id
    RETURNING organisation_id, token_id, cost_ms
  ), costs AS (
    SELECT 'o' || organisation_id AS subject, sum(cost_ms) AS cost_ms FROM ended GROUP BY organisation_id
    UNION ALL
    SELECT 't' || token_id, sum(cost_ms) FROM ended GROUP BY token_id
  ), locked AS (
    SELECT subject FROM limit_buckets
    WHERE kind = 'engine-ms' AND subject IN (SELECT subject FROM costs) ORDER BY subject FOR UPDATE
  )
  UPDATE limit_buckets SET balance = balance - costs.cost_ms
  FROM costs JOIN locked USING (subject)
  WHERE limit_buckets.kind = 'engine-ms' AND limit_buckets.subject = costs.subject;
END;
REVOKE ALL ON FUNCTION end_queries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_queries TO broadgauge_service;

-- Renews the slots that an instance knows. An instance can stop waiting for a slot and release it while PostgreSQL still runs
-- admit_query, which then takes the slot after the release. The instance does not renew that slot, so the slot ends with its
-- lease. Slots of instances that were killed are removed.
CREATE OR REPLACE FUNCTION renew_queries(own_instance uuid, lease interval, known uuid[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE running_queries SET leased_until = clock_timestamp() + lease WHERE instance = own_instance AND id = ANY (known);
  DELETE FROM running_queries WHERE leased_until < clock_timestamp() - interval '1 minute';
END;
REVOKE ALL ON FUNCTION renew_queries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION renew_queries TO broadgauge_service;

-- Takes one attempt from each bucket and returns 0. If a bucket is empty, returns the milliseconds until it has an attempt
-- again. The attempt is then refused, but still charged to the first bucket, that of the network, unless that bucket is the
-- empty one. Callers pass the buckets in a fixed order, so that two calls never deadlock.
CREATE OR REPLACE FUNCTION take_sign_in_attempt(kinds text[], subjects text[], maxima double precision[], refill interval)
RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  seconds double precision := extract(epoch FROM refill);
  held double precision;
BEGIN
  FOR i IN 1 .. cardinality(kinds) LOOP
    held := fill_bucket('sign-in-' || kinds[i], subjects[i], maxima[i], maxima[i] / seconds);
    IF held < 1 THEN
      UPDATE limit_buckets SET balance = balance - 1
      WHERE i > 1 AND kind = 'sign-in-' || kinds[1] AND subject = subjects[1];
      RETURN 1000 * seconds * (1 - held) / maxima[i];
    END IF;
  END LOOP;
  UPDATE limit_buckets SET balance = balance - 1
  FROM unnest(kinds, subjects) AS taken (kind, subject)
  WHERE limit_buckets.kind = 'sign-in-' || taken.kind AND limit_buckets.subject = taken.subject;
  RETURN 0;
END
$$;
REVOKE ALL ON FUNCTION take_sign_in_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_sign_in_attempt TO broadgauge_service;

-- Returns one attempt to each bucket, in the order in which the attempts were taken, so that two calls never deadlock.
CREATE OR REPLACE FUNCTION return_sign_in_attempt(kinds text[], subjects text[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  FOR i IN 1 .. cardinality(kinds) LOOP
    UPDATE limit_buckets SET balance = balance + 1 WHERE kind = 'sign-in-' || kinds[i] AND subject = subjects[i];
  END LOOP;
END
$$;
REVOKE ALL ON FUNCTION return_sign_in_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION return_sign_in_attempt TO broadgauge_service;
