-- The audit trail, and counts of calls.

-- Adds records to the audit trail, and creates the partition of a month if it does not exist. It uses ATTACH PARTITION. CREATE
-- TABLE … PARTITION OF would wait for a dump that reads the trail. At the turn of the month, all queries would then wait for
-- this function.
CREATE OR REPLACE FUNCTION add_audit_records(records json) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET TimeZone = 'UTC' AS $$
DECLARE
  month timestamptz;
  name text;
BEGIN
  BEGIN
    INSERT INTO audit_records SELECT * FROM json_populate_recordset(NULL::audit_records, records);
    RETURN;
  EXCEPTION WHEN check_violation THEN
    NULL; -- check_violation is PostgreSQL's error for a row without a partition.
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
REVOKE ALL ON FUNCTION add_audit_records FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_audit_records TO broadgauge_service;

-- Drops the partitions of months that ended longer ago than `older_than`. If another transaction reads the trail, the function
-- fails after one second: if it waited longer, all queries would wait for it. The next attempt follows after an hour.
CREATE OR REPLACE FUNCTION drop_audit_months(older_than interval) RETURNS void
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
REVOKE ALL ON FUNCTION drop_audit_months FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_audit_months TO broadgauge_service;

-- Adds to the counts of calls, unless the counts with this number were already added for the instance. The counts are parallel
-- arrays. If the first call still runs, a repeated call waits for it.
CREATE OR REPLACE FUNCTION record_api_calls(
  own_instance uuid, own_number bigint,
  organisation_ids integer[], token_ids integer[], endpoints text[], statuses smallint[], days date[], counts bigint[]
) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO recorded_calls AS noted (instance, number, recorded_at) VALUES (own_instance, own_number, now())
  ON CONFLICT (instance) DO UPDATE SET number = excluded.number, recorded_at = excluded.recorded_at
  WHERE noted.number < excluded.number;
  IF FOUND THEN
    INSERT INTO api_calls (organisation_id, token_id, endpoint, status, day, calls)
    SELECT organisation_id, token_id, endpoint, status, day, count
    FROM unnest(organisation_ids, token_ids, endpoints, statuses, days, counts)
      AS noted (organisation_id, token_id, endpoint, status, day, count)
    ORDER BY organisation_id, token_id, endpoint, status, day
    ON CONFLICT (organisation_id, token_id, endpoint, status, day) DO UPDATE SET calls = api_calls.calls + excluded.calls;
  END IF;
END
$$;
REVOKE ALL ON FUNCTION record_api_calls FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_api_calls TO broadgauge_service;
