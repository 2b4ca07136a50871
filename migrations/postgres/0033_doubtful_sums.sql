-- When it was noted what had been stored, by this clock: noted_upto is by the engine's.
ALTER TABLE rollup_tests ADD COLUMN noted_at timestamptz NOT NULL DEFAULT clock_timestamp();

CREATE FUNCTION date_rollup_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.noted_at := clock_timestamp();
  RETURN NEW;
END
$$;
CREATE TRIGGER rollup_tests_noted_at BEFORE UPDATE OF noted_upto ON rollup_tests
  FOR EACH ROW EXECUTE FUNCTION date_rollup_note();

-- What clocks that were wrong have left behind, before anything is noted. Answers whether everything has to be looked through
-- again: the engine's clock has lost more time than sums allow for, so results since are stamped with times at which sums of
-- their days had been made, and nobody can tell which. And a day that callers may still change was built by clocks ahead.
CREATE FUNCTION doubt_rollups(test_key text, upto timestamptz, allowed interval, age_days integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  last_day date := (clock_timestamp() AT TIME ZONE 'UTC')::date - age_days;
BEGIN
  UPDATE rollup_days SET stale = true FROM rollup_panels
  WHERE rollup_panels.test = test_key AND filled_upto > last_day
    AND rollup_days.test = test_key AND rollup_days.panel_id = rollup_panels.panel_id AND day > last_day AND NOT stale;
  DELETE FROM rollup_tests
  WHERE test = test_key AND greatest(clock_timestamp() - noted_at, interval '0') - (upto - noted_upto) > allowed;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE rollup_days SET stale = true WHERE test = test_key AND NOT stale;
  RETURN true;
END
$$;
REVOKE ALL ON FUNCTION doubt_rollups(text, timestamptz, interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION doubt_rollups(text, timestamptz, interval, integer) TO broadgauge_service;

-- The next days to build, latest first: of one panel, test and quarter, without a gap. No row when there is nothing to do.
-- Days with results stored after quiet_before are left alone for now, and those before the first of first_days: their
-- results are about to go. Nor are panels built while results of theirs are being removed: of an erasure that broke off the
-- engine goes on removing, and nobody would be left to say that the sums hold more.
CREATE OR REPLACE FUNCTION begin_rollup(
  test_keys text[], first_days date[], quiet_before timestamptz, only_panel integer, least_day date, greatest_day date
) RETURNS TABLE (build bigint, test text, panel_id integer, from_day date, upto_day date)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  latest rollup_days%ROWTYPE;
  first date;
  number bigint;
BEGIN
  -- Waits for changes of timelines that are being made.
  PERFORM pg_advisory_xact_lock(7041931007);
  SELECT rollup_days.* INTO latest
  FROM rollup_days JOIN unnest(test_keys, first_days) AS wanted (test, first_day) ON wanted.test = rollup_days.test
  WHERE stale AND (quiet_before IS NULL OR late_at IS NULL OR late_at < quiet_before)
    AND (only_panel IS NULL OR rollup_days.panel_id = only_panel)
    AND day BETWEEN greatest(first_day, least_day) AND greatest_day
    AND NOT EXISTS (SELECT FROM erasures WHERE erasures.panel_id = rollup_days.panel_id AND finished_at IS NULL)
  ORDER BY day DESC, rollup_days.test, rollup_days.panel_id LIMIT 1;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT min(day) INTO first
  FROM (
    SELECT day, row_number() OVER (ORDER BY day DESC) AS place FROM rollup_days
      JOIN unnest(test_keys, first_days) AS wanted (test, first_day) ON wanted.test = rollup_days.test
    WHERE rollup_days.test = latest.test AND rollup_days.panel_id = latest.panel_id AND stale
      AND (quiet_before IS NULL OR late_at IS NULL OR late_at < quiet_before)
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
