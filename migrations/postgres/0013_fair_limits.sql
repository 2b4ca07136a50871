-- What keeps one caller from starving the others, in one place so that all copies of the service agree. Unlogged: after a
-- crash everybody begins afresh, and no request waits for a disk. Limits are the service's to give, 0 being none.

-- Buckets that fill with time: requests, and milliseconds of the engine. Of an organisation ('o1') or a token ('t1').
CREATE UNLOGGED TABLE limit_buckets (
  kind text NOT NULL CHECK (kind IN ('requests', 'engine-ms')),
  subject text NOT NULL,
  balance double precision NOT NULL,
  filled_at timestamptz NOT NULL,
  PRIMARY KEY (kind, subject)
)
-- Rows are updated in place all the time.
WITH (fillfactor = 50);

CREATE UNLOGGED TABLE running_queries (
  id uuid PRIMARY KEY,
  organisation_id integer NOT NULL,
  token_id integer NOT NULL,
  -- The copy of the service it runs in, which renews the lease.
  copy uuid NOT NULL,
  leased_until timestamptz NOT NULL
)
WITH (fillfactor = 50);
CREATE INDEX running_queries_organisation ON running_queries (organisation_id);

DO $$
DECLARE
  limits_table text;
BEGIN
  FOREACH limits_table IN ARRAY ARRAY['limit_buckets', 'running_queries'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', limits_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', limits_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', limits_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO broadgauge_operator', limits_table);
  END LOOP;
END
$$;

-- What a bucket holds now; afterwards its row is locked until the transaction ends.
CREATE FUNCTION fill_bucket(bucket_kind text, bucket_subject text, full_balance double precision, per_second double precision)
RETURNS double precision
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  INSERT INTO limit_buckets AS bucket (kind, subject, balance, filled_at)
  VALUES (bucket_kind, bucket_subject, full_balance, clock_timestamp())
  ON CONFLICT (kind, subject) DO UPDATE SET
    balance = least(full_balance, bucket.balance
      + per_second * greatest(0, extract(epoch FROM clock_timestamp() - bucket.filled_at)::double precision)),
    filled_at = greatest(bucket.filled_at, clock_timestamp())
  RETURNING bucket.balance;
END;

-- Requests out of the buckets of an organisation and of a token: as many as are there, `wanted` at most. None: after how
-- many milliseconds there will be one.
CREATE FUNCTION take_requests(
  organisation_id integer, token_id integer, wanted integer, organisation_rate double precision, token_rate double precision
) RETURNS TABLE (granted integer, remaining integer, retry_ms double precision)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  of_organisation double precision := 'infinity';
  of_token double precision := 'infinity';
BEGIN
  -- Always the organisation first: two that wait for one another would wait for ever.
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
  retry_ms := CASE WHEN granted > 0 THEN 0 ELSE 1000 * greatest(
    CASE WHEN organisation_rate > 0 THEN (1 - of_organisation) / organisation_rate ELSE 0 END,
    CASE WHEN token_rate > 0 THEN (1 - of_token) / token_rate ELSE 0 END
  ) END;
  RETURN NEXT;
END
$$;

-- Lets a query begin, or says what keeps it: 'queries' are as many as may run at once, 'engine-seconds' are used up.
-- A second of the engine is paid for afterwards, so a bucket may be overdrawn; then its owner waits until it is not.
CREATE FUNCTION begin_query(
  query uuid, organisation integer, token integer, own_copy uuid, lease interval,
  organisation_queries integer, token_queries integer, organisation_seconds double precision, token_seconds double precision
) RETURNS TABLE (refused_by text, retry_ms double precision)
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
    RETURN QUERY SELECT 'engine-seconds', wait_ms;
    RETURN;
  END IF;
  SELECT count(*), count(*) FILTER (WHERE token_id = token) INTO of_organisation, of_token
  FROM running_queries WHERE organisation_id = organisation AND leased_until > clock_timestamp();
  IF (organisation_queries > 0 AND of_organisation >= organisation_queries)
    OR (token_queries > 0 AND of_token >= token_queries) THEN
    RETURN QUERY SELECT 'queries', 1000::double precision;
    RETURN;
  END IF;
  INSERT INTO running_queries (id, organisation_id, token_id, copy, leased_until)
  VALUES (query, organisation, token, own_copy, clock_timestamp() + lease);
END
$$;

-- The places of queries that are over, and what each has cost.
CREATE FUNCTION end_queries(queries uuid[], costs_ms double precision[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
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

-- Queries of a copy that lives go on holding their places; those of copies that died are forgotten.
CREATE FUNCTION renew_queries(own_copy uuid, lease interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE running_queries SET leased_until = clock_timestamp() + lease WHERE copy = own_copy;
  DELETE FROM running_queries WHERE leased_until < clock_timestamp() - interval '1 minute';
END;

REVOKE ALL ON FUNCTION fill_bucket(text, text, double precision, double precision),
  take_requests(integer, integer, integer, double precision, double precision),
  begin_query(uuid, integer, integer, uuid, interval, integer, integer, double precision, double precision),
  end_queries(uuid[], double precision[]), renew_queries(uuid, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_requests(integer, integer, integer, double precision, double precision),
  begin_query(uuid, integer, integer, uuid, interval, integer, integer, double precision, double precision),
  end_queries(uuid[], double precision[]), renew_queries(uuid, interval) TO broadgauge_service;
