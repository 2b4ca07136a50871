-- Days whose sums could not be made were the next to be made again, and as long as they failed no other panel's were made. So
-- it is noted of a day when a build of it failed last, and how often since one was good.
ALTER TABLE rollup_days ADD COLUMN failed_at timestamptz, ADD COLUMN failures integer NOT NULL DEFAULT 0;

-- The next days to build, latest first: of one panel, test and quarter, without a gap. No row when there is nothing to do.
-- Days with results stored after quiet_before are left alone for now, and those before the first of first_days: their
-- results are about to go. Nor are panels built while results of theirs are being removed: of an erasure that broke off the
-- engine goes on removing, and nobody would be left to say that the sums hold more.
-- Days that have failed come after all others, never together with one that has not, and not for an hour, or as many as they
-- have failed times, up to a day: what a build had written when it failed stays on the disk. Who is in a hurry has no
-- quiet_before, and waits for none of this.
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

-- Makes a build what its days are answered from, all of them at once. False when it has been spoiled, or overtaken.
CREATE OR REPLACE FUNCTION finish_rollup(build_id bigint, build_version text, upto timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE rollup_builds SET finished_at = now() WHERE id = build_id AND NOT spoiled AND finished_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE rollup_days SET build = build_id, version = build_version, facts_upto = upto, stale = false, late_at = NULL,
    building = NULL, failed_at = NULL, failures = 0
  WHERE building = build_id;
  RETURN true;
END
$$;

-- Notes that a build has failed. Its own row first, as whoever finishes or spoils it locks them.
CREATE FUNCTION fail_rollup(build_id bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM rollup_builds WHERE id = build_id FOR UPDATE;
  UPDATE rollup_days SET failed_at = now(), failures = failures + 1, building = NULL WHERE building = build_id;
END
$$;
REVOKE ALL ON FUNCTION fail_rollup(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fail_rollup(bigint) TO broadgauge_service;

-- How many agents the events are about that the engine's large dictionaries do not have yet, each counted once.
CREATE FUNCTION count_unsettled_agents() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT count(*)::integer
  FROM (SELECT DISTINCT unnest(agents) AS agent_id FROM metadata_events WHERE settled_at IS NULL) AS changed;
END;
REVOKE ALL ON FUNCTION count_unsettled_agents() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_unsettled_agents() TO broadgauge_service;
