-- Which days of which panels have a valid rollup, and which days to build next.

-- Marks days as stale if a change can concern their results. Queries read stale days from results until they are built again.
-- The caller makes the change in the same transaction. A build waits for this transaction before it begins, so no build that
-- has read the earlier state becomes valid. Builds are locked before days, as in finish_rollup.
CREATE OR REPLACE FUNCTION invalidate_rollups(changed_panels integer[], since date) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7041931007);
  UPDATE rollup_builds SET invalidated = true
  WHERE finished_at IS NULL AND panel_id = ANY (changed_panels) AND upto_day >= since - 1;
  UPDATE rollup_days SET stale = true
  WHERE panel_id = ANY (changed_panels) AND day >= since - 1 AND NOT stale;
END
$$;
REVOKE ALL ON FUNCTION invalidate_rollups FROM PUBLIC;

-- Callers may change the last 28 days, and rollups contain days that ended at least 30 days ago. Therefore only an operator's
-- change concerns rollups. There is a margin of one day, so that a change at midnight is not missed.
CREATE OR REPLACE FUNCTION invalidate_rollups_of_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NEW.kind = 'change' AND NEW.from_day <= (clock_timestamp() AT TIME ZONE 'UTC')::date - 27 THEN
    PERFORM invalidate_rollups(ARRAY(
      SELECT panel_id FROM agents WHERE id = ANY (NEW.agents)
      UNION SELECT panel_id FROM rollup_moves WHERE agent_id = ANY (NEW.agents)
    ), NEW.from_day);
  END IF;
  RETURN NULL;
END
$$;

-- The model, the country and the unit of an agent apply to all its results, at whatever time they were measured.
CREATE OR REPLACE FUNCTION invalidate_rollups_of_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  touched integer[];
BEGIN
  INSERT INTO rollup_moves (agent_id, panel_id)
  SELECT before.id, before.panel_id FROM before JOIN written USING (id) WHERE before.panel_id <> written.panel_id
  ON CONFLICT DO NOTHING;
  touched := ARRAY(
    SELECT before.id FROM before JOIN written USING (id)
    WHERE (before.base, before.country, before.unit_id IS NULL)
      IS DISTINCT FROM (written.base, written.country, written.unit_id IS NULL)
  );
  IF cardinality(touched) > 0 THEN
    PERFORM invalidate_rollups(ARRAY(
      SELECT panel_id FROM agents WHERE id = ANY (touched)
      UNION SELECT panel_id FROM rollup_moves WHERE agent_id = ANY (touched)
    ), '1970-01-02');
  END IF;
  RETURN NULL;
END
$$;

-- A rollup must not count an erased agent.
CREATE OR REPLACE FUNCTION invalidate_rollups_of_erased() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM invalidate_rollups(ARRAY(
    SELECT OLD.panel_id UNION SELECT panel_id FROM rollup_moves WHERE agent_id = OLD.id
  ), '1970-01-02');
  DELETE FROM rollup_moves WHERE agent_id = OLD.id;
  RETURN NULL;
END
$$;

-- Records which results were stored after the last call. The parallel arrays contain panels, UTC days, and for each pair the
-- time when its last row was stored. A UTC day also concerns the local days before and after it.
CREATE OR REPLACE FUNCTION record_rollup_facts(
  test_key text, upto timestamptz, panel_ids integer[], utc_days date[], stored_at timestamptz[], last_day date
) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO rollup_panels AS known (test, panel_id, first_day)
  SELECT test_key, panel_id, min(utc_day) - 1 FROM unnest(panel_ids, utc_days) AS noted (panel_id, utc_day)
  -- Ignores panels that are not in `panels`: no caller can query them.
  WHERE panel_id IN (SELECT id FROM panels) GROUP BY panel_id
  ON CONFLICT (test, panel_id) DO UPDATE SET first_day = least(known.first_day, excluded.first_day)
    WHERE excluded.first_day < known.first_day;
  INSERT INTO rollup_days (test, panel_id, day)
  SELECT test_key, panel_id, series::date
  FROM rollup_panels CROSS JOIN generate_series(first_day::timestamp, last_day::timestamp, interval '1 day') AS series
  WHERE test = test_key AND (filled_from IS NULL OR first_day < filled_from OR filled_upto < last_day)
  ON CONFLICT DO NOTHING;
  UPDATE rollup_panels SET filled_from = first_day, filled_upto = last_day
  WHERE test = test_key AND first_day <= last_day AND (filled_from IS NULL OR first_day < filled_from OR filled_upto < last_day);
  UPDATE rollup_days SET stale = true, late_at = greatest(late_at, late.latest)
  FROM (
    SELECT panel_id, utc_day + away AS day, max(latest) AS latest
    FROM unnest(panel_ids, utc_days, stored_at) AS noted (panel_id, utc_day, latest) CROSS JOIN generate_series(-1, 1) AS away
    GROUP BY 1, 2
  ) AS late
  WHERE rollup_days.test = test_key AND rollup_days.panel_id = late.panel_id AND rollup_days.day = late.day
    AND (stale OR facts_upto <= late.latest);
  INSERT INTO rollup_tests (test, recorded_upto) VALUES (test_key, upto)
  ON CONFLICT (test) DO UPDATE SET recorded_upto = excluded.recorded_upto;
END
$$;
REVOKE ALL ON FUNCTION record_rollup_facts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_rollup_facts TO broadgauge_service;

CREATE OR REPLACE FUNCTION date_recorded_upto() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.recorded_at := clock_timestamp();
  RETURN NEW;
END
$$;

-- Handles wrong clocks. It is called before anything is recorded. Returns true if all results must be read again: ClickHouse's
-- clock was set back by more than `allowed`, so a new result can have an `ingested_at` from before the rollup of its day was
-- built. If days were built that callers can still change, the clock was ahead. The function marks these days as stale.
CREATE OR REPLACE FUNCTION check_rollup_clocks(test_key text, upto timestamptz, allowed interval, age_days integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  last_day date := (clock_timestamp() AT TIME ZONE 'UTC')::date - age_days;
BEGIN
  UPDATE rollup_days SET stale = true FROM rollup_panels
  WHERE rollup_panels.test = test_key AND filled_upto > last_day
    AND rollup_days.test = test_key AND rollup_days.panel_id = rollup_panels.panel_id AND day > last_day AND NOT stale;
  DELETE FROM rollup_tests
  WHERE test = test_key AND greatest(clock_timestamp() - recorded_at, interval '0') - (upto - recorded_upto) > allowed;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE rollup_days SET stale = true WHERE test = test_key AND NOT stale;
  RETURN true;
END
$$;
REVOKE ALL ON FUNCTION check_rollup_clocks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION check_rollup_clocks TO broadgauge_service;

-- Marks rollups of another version as stale and returns the number of days. While two versions of the service run side by side,
-- each would rebuild the other's days again and again. Therefore days that were built within the last hour do not change.
CREATE OR REPLACE FUNCTION invalidate_outdated_rollups(test_keys text[], versions text[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  outdated integer;
BEGIN
  UPDATE rollup_days SET stale = true
  FROM unnest(test_keys, versions) AS wanted (test, version)
  WHERE rollup_days.test = wanted.test AND rollup_days.version <> wanted.version AND NOT stale
    AND NOT EXISTS (
      SELECT FROM rollup_builds
      WHERE rollup_builds.id = rollup_days.build AND rollup_builds.finished_at > now() - interval '1 hour'
    );
  GET DIAGNOSTICS outdated = ROW_COUNT;
  RETURN outdated;
END
$$;
REVOKE ALL ON FUNCTION invalidate_outdated_rollups FROM PUBLIC;
GRANT EXECUTE ON FUNCTION invalidate_outdated_rollups TO broadgauge_service;

-- Begins a build of the next days, the latest first. The days of a build belong to one panel, test and quarter, and have no
-- gap. Returns no row if there is nothing to build. The following are not built:
--
-- - Days with results that were stored after quiet_before.
-- - Days before first_days, because their results are about to expire.
-- - Panels with an unfinished erasure: ClickHouse may still be deleting the results, and the rollup would keep them.
--
-- Days whose last build failed come after all others, and are not built together with other days. They wait one hour for each
-- failure, up to a day, because the rows of a failed build stay on the disk. If quiet_before is null (an operator's build), no
-- day waits.
CREATE OR REPLACE FUNCTION begin_rollup(
  test_keys text[], first_days date[], quiet_before timestamptz, only_panel integer, least_day date, greatest_day date
) RETURNS TABLE (build bigint, test text, panel_id integer, from_day date, upto_day date)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  latest rollup_days%ROWTYPE;
  first date;
  number bigint;
BEGIN
  -- Waits for running changes of timelines.
  PERFORM pg_advisory_xact_lock(7041931007);
  SELECT rollup_days.* INTO latest
  FROM rollup_days JOIN unnest(test_keys, first_days) AS wanted (test, first_day) ON wanted.test = rollup_days.test
  WHERE stale AND (quiet_before IS NULL OR late_at IS NULL OR late_at < quiet_before)
    AND (quiet_before IS NULL OR failed_at IS NULL
      OR failed_at <= clock_timestamp() - least(failures, 24) * interval '1 hour')
    AND (only_panel IS NULL OR rollup_days.panel_id = only_panel)
    AND day BETWEEN greatest(first_day, least_day) AND greatest_day
    AND NOT EXISTS (SELECT FROM erasures WHERE erasures.panel_id = rollup_days.panel_id AND finished_at IS NULL)
  ORDER BY failed_at NULLS FIRST, day DESC, rollup_days.test, rollup_days.panel_id LIMIT 1;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT min(day) INTO first
  FROM (
    SELECT day, row_number() OVER (ORDER BY day DESC) AS place FROM rollup_days
      JOIN unnest(test_keys, first_days) AS wanted (test, first_day) ON wanted.test = rollup_days.test
    WHERE rollup_days.test = latest.test AND rollup_days.panel_id = latest.panel_id AND stale
      AND (quiet_before IS NULL OR late_at IS NULL OR late_at < quiet_before)
      AND failed_at IS NOT DISTINCT FROM latest.failed_at
      AND day BETWEEN greatest(date_trunc('quarter', latest.day)::date, first_day, least_day) AND latest.day
  ) AS candidates
  WHERE day = latest.day - (place - 1)::integer;
  INSERT INTO rollup_builds (test, panel_id, from_day, upto_day) VALUES (latest.test, latest.panel_id, first, latest.day)
  RETURNING id INTO number;
  UPDATE rollup_days SET building = number
  WHERE rollup_days.test = latest.test AND rollup_days.panel_id = latest.panel_id AND day BETWEEN first AND latest.day;
  RETURN QUERY SELECT number, latest.test, latest.panel_id, first, latest.day;
END
$$;
REVOKE ALL ON FUNCTION begin_rollup FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_rollup TO broadgauge_service;

-- Makes a build valid for all its days at the same time. Returns false if the build was invalidated or superseded.
CREATE OR REPLACE FUNCTION finish_rollup(build_id bigint, build_version text, upto timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE rollup_builds SET finished_at = now() WHERE id = build_id AND NOT invalidated AND finished_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE rollup_days SET build = build_id, version = build_version, facts_upto = upto, stale = false, late_at = NULL,
    building = NULL, failed_at = NULL, failures = 0
  WHERE building = build_id;
  RETURN true;
END
$$;
REVOKE ALL ON FUNCTION finish_rollup FROM PUBLIC;
GRANT EXECUTE ON FUNCTION finish_rollup TO broadgauge_service;

-- Records that a build has failed. Locks the build before its days, as finish_rollup and invalidate_rollups do.
CREATE OR REPLACE FUNCTION fail_rollup(build_id bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM rollup_builds WHERE id = build_id FOR UPDATE;
  UPDATE rollup_days SET failed_at = now(), failures = failures + 1, building = NULL WHERE building = build_id;
END
$$;
REVOKE ALL ON FUNCTION fail_rollup FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fail_rollup TO broadgauge_service;
