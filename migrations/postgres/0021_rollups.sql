-- Days of a panel's results that have been put together once, so that months and years are answered from sums. The sums are
-- in the engine, under the number of the build that made them; which build is good is said here, and only here.
CREATE TABLE rollup_tests (
  test text PRIMARY KEY,
  -- Of results stored before this time it is known to which days they belong: see note_rollup_facts.
  noted_upto timestamptz NOT NULL
);

CREATE TABLE rollup_panels (
  test text NOT NULL,
  panel_id integer NOT NULL REFERENCES panels,
  -- The panel has no results of the test before, by the clock of any zone.
  first_day date NOT NULL,
  -- rollup_days has a row for each day between these.
  filled_from date,
  filled_upto date,
  PRIMARY KEY (test, panel_id)
);

CREATE TABLE rollup_builds (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  test text NOT NULL,
  panel_id integer NOT NULL REFERENCES panels,
  from_day date NOT NULL,
  upto_day date NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  -- What it reads has changed meanwhile.
  spoiled boolean NOT NULL DEFAULT false,
  -- No day is answered from it any more.
  dead_at timestamptz
);
CREATE INDEX rollup_builds_running ON rollup_builds (panel_id) WHERE finished_at IS NULL;

CREATE TABLE rollup_days (
  test text NOT NULL,
  panel_id integer NOT NULL REFERENCES panels,
  -- By the agents' clocks.
  day date NOT NULL,
  -- Holds its sums, unless the day is stale.
  build bigint,
  -- What the sums were made by: definitions of metrics, rules of time zones, days results are kept.
  version text,
  -- Results stored before this time are in the sums.
  facts_upto timestamptz,
  stale boolean NOT NULL DEFAULT true,
  -- When the last late result was stored.
  late_at timestamptz,
  building bigint,
  PRIMARY KEY (test, panel_id, day)
);
CREATE INDEX rollup_days_stale ON rollup_days (test, panel_id, day DESC) WHERE stale;
CREATE INDEX rollup_days_panel ON rollup_days (panel_id, day);
CREATE INDEX rollup_days_build ON rollup_days (build);

-- Panels an agent has been on before: its results are still there.
CREATE TABLE rollup_moves (
  agent_id integer NOT NULL,
  panel_id integer NOT NULL REFERENCES panels,
  PRIMARY KEY (agent_id, panel_id)
);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['rollup_tests', 'rollup_panels', 'rollup_builds', 'rollup_days', 'rollup_moves'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO broadgauge_operator', tenant_table);
  END LOOP;
END
$$;
-- Tells nothing of anybody.
CREATE POLICY tenant ON rollup_tests FOR SELECT TO broadgauge_service USING (true);
CREATE POLICY tenant ON rollup_panels FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant ON rollup_days FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
GRANT SELECT ON rollup_tests, rollup_panels, rollup_days TO broadgauge_service;

-- The days whose results a change may concern answer from results until they are built again. Whoever calls this has a
-- transaction in which the change is made; a build that begins waits for it, so that it never reads what was before and is
-- called good after. Builds first: whoever finishes one locks in the same order.
CREATE FUNCTION spoil_rollups(spoilt_panels integer[], since date) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7041931007);
  UPDATE rollup_builds SET spoiled = true
  WHERE finished_at IS NULL AND panel_id = ANY (spoilt_panels) AND upto_day >= since - 1;
  UPDATE rollup_days SET stale = true
  WHERE panel_id = ANY (spoilt_panels) AND day >= since - 1 AND NOT stale;
END
$$;

-- A caller may change the last 28 days, and sums are of days that are over for 30: only an operator reaches them. One day
-- more than that, so that a change at midnight is not missed.
CREATE FUNCTION spoil_rollups_of_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.kind = 'change' AND NEW.from_day <= (clock_timestamp() AT TIME ZONE 'UTC')::date - 27 THEN
    PERFORM spoil_rollups(ARRAY(
      SELECT panel_id FROM agents WHERE id = ANY (NEW.agents)
      UNION SELECT panel_id FROM rollup_moves WHERE agent_id = ANY (NEW.agents)
    ), NEW.from_day);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER metadata_events_spoil_rollups AFTER INSERT ON metadata_events
  FOR EACH ROW EXECUTE FUNCTION spoil_rollups_of_changed();

-- A model, a country, a unit hold for all results of an agent, whenever they were measured.
CREATE FUNCTION spoil_rollups_of_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
    PERFORM spoil_rollups(ARRAY(
      SELECT panel_id FROM agents WHERE id = ANY (touched)
      UNION SELECT panel_id FROM rollup_moves WHERE agent_id = ANY (touched)
    ), '1970-01-02');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER agents_spoil_rollups AFTER UPDATE ON agents
  REFERENCING OLD TABLE AS before NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION spoil_rollups_of_updated();

-- Whoever is erased must not be counted any more.
CREATE FUNCTION spoil_rollups_of_erased() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM spoil_rollups(ARRAY(
    SELECT OLD.panel_id UNION SELECT panel_id FROM rollup_moves WHERE agent_id = OLD.id
  ), '1970-01-02');
  DELETE FROM rollup_moves WHERE agent_id = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER agents_spoil_rollups_of_erased AFTER DELETE ON agents
  FOR EACH ROW EXECUTE FUNCTION spoil_rollups_of_erased();

-- What has been stored since the last time: by panel and UTC day, the time of the last row. A local day touches the UTC
-- days beside it. Takes parallel arrays.
CREATE FUNCTION note_rollup_facts(
  test_key text, upto timestamptz, panel_ids integer[], utc_days date[], stored_at timestamptz[], last_day date
) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO rollup_panels AS known (test, panel_id, first_day)
  SELECT test_key, panel_id, min(utc_day) - 1 FROM unnest(panel_ids, utc_days) AS noted (panel_id, utc_day)
  -- A panel that is not in the register is nobody's to ask for.
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
  INSERT INTO rollup_tests (test, noted_upto) VALUES (test_key, upto)
  ON CONFLICT (test) DO UPDATE SET noted_upto = excluded.noted_upto;
END
$$;

-- Sums of another version are not those of this one. Answers how many days that were good are not any more.
CREATE FUNCTION outdate_rollups(test_keys text[], versions text[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  outdated integer;
BEGIN
  UPDATE rollup_days SET stale = true
  FROM unnest(test_keys, versions) AS wanted (test, version)
  WHERE rollup_days.test = wanted.test AND rollup_days.version <> wanted.version AND NOT stale;
  GET DIAGNOSTICS outdated = ROW_COUNT;
  RETURN outdated;
END
$$;

-- The next days to build, latest first: of one panel, test and quarter, without a gap. No row when there is nothing to do.
-- Days with results stored after quiet_before are left alone for now, and those before the first of first_days: their
-- results are about to go.
CREATE FUNCTION begin_rollup(
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

-- Makes a build what its days are answered from, all of them at once. False when it has been spoiled, or overtaken.
CREATE FUNCTION finish_rollup(build_id bigint, build_version text, upto timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE rollup_builds SET finished_at = now() WHERE id = build_id AND NOT spoiled AND finished_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE rollup_days SET build = build_id, version = build_version, facts_upto = upto, stale = false, late_at = NULL,
    building = NULL
  WHERE building = build_id;
  RETURN true;
END
$$;

REVOKE ALL ON FUNCTION spoil_rollups(integer[], date),
  note_rollup_facts(text, timestamptz, integer[], date[], timestamptz[], date), outdate_rollups(text[], text[]),
  begin_rollup(text[], date[], timestamptz, integer, date, date), finish_rollup(bigint, text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_rollup_facts(text, timestamptz, integer[], date[], timestamptz[], date),
  outdate_rollups(text[], text[]), begin_rollup(text[], date[], timestamptz, integer, date, date),
  finish_rollup(bigint, text, timestamptz) TO broadgauge_service;
