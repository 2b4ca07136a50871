-- The audit trail: one append-only table, partitioned by month. A query's question is one record, written before its answer
-- is complete; what becomes known of its outcome follows in records with the same id and time, without an endpoint.
CREATE TABLE audit_records (
  asked_at timestamptz NOT NULL,
  id uuid NOT NULL,
  -- No foreign keys: the trail outlives what it names.
  organisation integer,
  token integer,
  endpoint text,
  request_id text,
  trace_id text,
  -- JSON, without anything that looks like a secret.
  body text,
  panels integer[],
  range_clock text,
  range_from text,
  range_to text,
  finished_at timestamptz,
  status smallint,
  complete boolean,
  rows bigint,
  bytes bigint,
  engine_ms double precision
) PARTITION BY RANGE (asked_at);
CREATE INDEX audit_records_time ON audit_records (asked_at);
CREATE INDEX audit_records_organisation ON audit_records (organisation, asked_at) WHERE endpoint IS NOT NULL;
ALTER TABLE audit_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_records FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON audit_records TO broadgauge_operator USING (true);
-- Erasing an agent changes bodies that name it; nothing else changes a record.
GRANT SELECT, UPDATE (body) ON audit_records TO broadgauge_operator;

-- One row per query.
CREATE VIEW audited_queries WITH (security_invoker = true) AS
SELECT question.asked_at, question.id, question.organisation, question.token, question.endpoint, question.request_id,
  question.trace_id, question.body, question.panels, question.range_clock, question.range_from, question.range_to, outcome.*
FROM audit_records AS question
CROSS JOIN LATERAL (
  SELECT max(finished_at) AS finished_at, max(status) AS status, bool_and(complete) AS complete, max(rows) AS rows,
    max(bytes) AS bytes, max(engine_ms) AS engine_ms
  FROM audit_records AS later
  WHERE later.asked_at = question.asked_at AND later.id = question.id AND later.endpoint IS NULL
) AS outcome
WHERE question.endpoint IS NOT NULL;
GRANT SELECT ON audited_queries TO broadgauge_operator;

-- Creates the partitions of months that have none. ATTACH PARTITION and not PARTITION OF: a dump that reads the trail at the
-- turn of the month would keep the latter waiting, and every query behind it.
CREATE FUNCTION add_audit_records(records json) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET TimeZone = 'UTC' AS $$
DECLARE
  month timestamptz;
  name text;
BEGIN
  BEGIN
    INSERT INTO audit_records SELECT * FROM json_populate_recordset(NULL::audit_records, records);
    RETURN;
  EXCEPTION WHEN check_violation THEN
    NULL; -- what PostgreSQL says of a row without a partition
  END;
  LOCK TABLE audit_records IN SHARE UPDATE EXCLUSIVE MODE;
  FOR month IN
    SELECT DISTINCT date_trunc('month', asked_at) FROM json_populate_recordset(NULL::audit_records, records)
  LOOP
    name := 'audit_records_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    EXECUTE format('CREATE TABLE public.%I (LIKE audit_records INCLUDING ALL)', name);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE audit_records ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, month, month + interval '1 month');
  END LOOP;
  INSERT INTO audit_records SELECT * FROM json_populate_recordset(NULL::audit_records, records);
END
$$;

-- Drops the months that ended so long ago. While something else reads the trail it fails after a second, because every query
-- waits behind it; the next attempt is an hour later.
CREATE FUNCTION drop_audit_months(older_than interval) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET TimeZone = 'UTC'
SET lock_timeout = '1s' AS $$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'audit_records'::regclass
      AND to_timestamp(right(relname, 7), 'YYYY_MM') + interval '1 month' <= now() - older_than
  LOOP
    EXECUTE format('DROP TABLE IF EXISTS %I', name);
  END LOOP;
END
$$;

REVOKE ALL ON FUNCTION add_audit_records(json), drop_audit_months(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_audit_records(json), drop_audit_months(interval) TO broadgauge_service;

SELECT add_audit_records(json_build_array(line::json)) FROM audit_queue ORDER BY id;
DROP FUNCTION queue_audit_lines(text[]), audit_queue_age_ms(), find_audit_lines(integer, bigint),
  forget_audit_lines(bigint[]);
DROP TABLE audit_queue;
