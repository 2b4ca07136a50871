-- Rollups: daily aggregates of the results of a panel. Queries over months and years read them instead of results. ClickHouse
-- stores them with the number of the build that wrote them. Only these tables say which build is valid.
CREATE TABLE rollup_tests (
  test text PRIMARY KEY,
  -- All results that were stored before this time, by ClickHouse's clock, have been recorded: see record_rollup_facts.
  recorded_upto timestamptz NOT NULL,
  -- The time when recorded_upto was written, by PostgreSQL's clock.
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER rollup_tests_recorded_at BEFORE UPDATE OF recorded_upto ON rollup_tests
  FOR EACH ROW EXECUTE FUNCTION date_recorded_upto();

CREATE TABLE rollup_panels (
  test text NOT NULL,
  panel_id integer NOT NULL REFERENCES panels,
  -- The panel has no results of the test before this day, in any time zone.
  first_day date NOT NULL,
  -- rollup_days has a row for each day from filled_from to filled_upto.
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
  -- True if results or metadata of the build changed while it ran.
  invalidated boolean NOT NULL DEFAULT false,
  -- The time at which the service found that no day uses this build any more.
  dead_at timestamptz
);
CREATE INDEX rollup_builds_running ON rollup_builds (panel_id) WHERE finished_at IS NULL;

CREATE TABLE rollup_days (
  test text NOT NULL,
  panel_id integer NOT NULL REFERENCES panels,
  -- A day in the local time of the agents.
  day date NOT NULL,
  -- The build from which queries read this day. Not used if the day is stale.
  build bigint,
  -- Hash of everything that the rollup depends on: definitions of metrics, rules of time zones, retention of results.
  version text,
  -- The rollup contains the results that were stored before this time.
  facts_upto timestamptz,
  stale boolean NOT NULL DEFAULT true,
  -- The time when the last late result of this day was stored.
  late_at timestamptz,
  building bigint,
  -- The time of the last failed build of this day, and the number of failures after the last successful build. Without these
  -- columns, days that always fail would always be next, and the days of other panels would not be built.
  failed_at timestamptz,
  failures integer NOT NULL DEFAULT 0,
  PRIMARY KEY (test, panel_id, day)
);
CREATE INDEX rollup_days_stale ON rollup_days (test, panel_id, day DESC) WHERE stale;
CREATE INDEX rollup_days_panel ON rollup_days (panel_id, day);
CREATE INDEX rollup_days_build ON rollup_days (build);

-- Panels that an agent was on earlier. Its older results are still stored under these panels.
CREATE TABLE rollup_moves (
  agent_id integer NOT NULL,
  panel_id integer NOT NULL REFERENCES panels,
  PRIMARY KEY (agent_id, panel_id)
);

CREATE TRIGGER metadata_events_invalidate_rollups AFTER INSERT ON metadata_events
  FOR EACH ROW EXECUTE FUNCTION invalidate_rollups_of_changed();
CREATE TRIGGER agents_invalidate_rollups AFTER UPDATE ON agents
  REFERENCING OLD TABLE AS before NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION invalidate_rollups_of_updated();
CREATE TRIGGER agents_invalidate_rollups_of_erased AFTER DELETE ON agents
  FOR EACH ROW EXECUTE FUNCTION invalidate_rollups_of_erased();
