-- Changes of the metadata timeline, and the stages in which they reach ClickHouse's dictionaries.

-- Creates the timeline of new agents: one span without metadata, from 1970-01-01 on.
CREATE OR REPLACE FUNCTION begin_timelines(new_agents integer[]) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  WITH new AS (
    SELECT agents.id, agents.panel_id, panels.owner_id
    FROM unnest(new_agents) AS one (id) JOIN agents USING (id) JOIN panels ON panels.id = agents.panel_id
  ), registered AS (
    INSERT INTO metadata_events (organisation_id, kind, from_day, agents)
    SELECT owner_id, 'registration', '1970-01-01', array_agg(id ORDER BY id) FROM new GROUP BY owner_id
    RETURNING id, organisation_id
  ), begun AS (
    INSERT INTO spans (agent_id, from_day, event_id)
    SELECT new.id, '1970-01-01', registered.id FROM new JOIN registered ON registered.organisation_id = new.owner_id
    RETURNING agent_id, from_day, id, custom
  )
  INSERT INTO current_metadata (agent_id, panel_id, span_id, from_day, custom, days, span_ids)
  SELECT begun.agent_id, agents.panel_id, begun.id, begun.from_day, begun.custom, ARRAY[begun.from_day], ARRAY[begun.id]
  -- Joins agents and not "new": the planner assumes that both sets are small, and would compare each row of one with each row
  -- of the other.
  FROM begun JOIN agents ON agents.id = begun.agent_id;
END;
REVOKE ALL ON FUNCTION begin_timelines FROM PUBLIC;

CREATE OR REPLACE FUNCTION begin_timelines_of_inserted() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM begin_timelines(ARRAY(SELECT id FROM written));
  RETURN NULL;
END
$$;

-- Records an event when columns of agents change, such as the model or the MAC address, because ClickHouse must load them too.
CREATE OR REPLACE FUNCTION record_changed_agents() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO metadata_events (organisation_id, kind, from_day, agents)
  SELECT panels.owner_id, 'registration', '1970-01-01', array_agg(written.id ORDER BY written.id)
  FROM written JOIN panels ON panels.id = written.panel_id
  GROUP BY panels.owner_id;
  RETURN NULL;
END
$$;

-- Sets fields of agents from a day on, for any number of agents with one statement. The given fields apply to that day and
-- every later day, and override later changes of the same fields. Other fields keep their later changes. With replace_all,
-- every field that is not given becomes empty. The caller must have locked the agents' rows of current_metadata.
CREATE OR REPLACE FUNCTION apply_change(
  targets integer[], change_event bigint, day date,
  set_package boolean, new_isp integer, new_package integer,
  set_zone boolean, new_zone smallint,
  new_custom jsonb, dropped_keys text[], replace_all boolean
) RETURNS void
-- force_custom_plan makes PostgreSQL plan for the given agents: a plan for one agent would take quadratic time for a hundred
-- thousand.
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_custom_plan SET work_mem = '128MB' SET jit = off AS $$
BEGIN
  WITH present AS MATERIALIZED (
    SELECT spans.*, lead(from_day) OVER (PARTITION BY agent_id ORDER BY from_day) AS next_day
    FROM unnest(targets) AS target (agent_id) JOIN spans USING (agent_id)
  ), before AS (
    -- The span on the day before the change. It is used only for comparison, and the change does not modify it.
    SELECT agent_id, from_day, isp_id, package_id, zone_id, custom
    FROM present WHERE from_day < day AND (next_day IS NULL OR next_day >= day)
  ), wanted AS (
    SELECT agent_id, greatest(from_day, day) AS from_day,
      CASE WHEN set_package THEN new_isp WHEN replace_all THEN NULL ELSE isp_id END AS isp_id,
      CASE WHEN set_package THEN new_package WHEN replace_all THEN NULL ELSE package_id END AS package_id,
      CASE WHEN set_zone THEN new_zone WHEN replace_all THEN NULL ELSE zone_id END AS zone_id,
      (CASE WHEN replace_all THEN '{}'::jsonb ELSE custom - dropped_keys END) || new_custom AS custom
    FROM present WHERE next_day IS NULL OR next_day > day
  ), sequence AS (
    SELECT *, lag((isp_id, package_id, zone_id, custom)) OVER (PARTITION BY agent_id ORDER BY from_day) AS previous
    FROM (SELECT * FROM before UNION ALL SELECT * FROM wanted) AS both_sides
  ), kept AS MATERIALIZED (
    -- Leaves out a span that is equal to the one before it.
    SELECT sequence.*, same.id AS same_id
    FROM sequence LEFT JOIN present AS same
      ON same.agent_id = sequence.agent_id AND same.from_day = sequence.from_day
      AND (same.isp_id, same.package_id, same.zone_id, same.custom)
        IS NOT DISTINCT FROM (sequence.isp_id, sequence.package_id, sequence.zone_id, sequence.custom)
    WHERE sequence.from_day >= day
      AND (sequence.isp_id, sequence.package_id, sequence.zone_id, sequence.custom) IS DISTINCT FROM previous
  ), gone AS MATERIALIZED (
    SELECT * FROM present
    WHERE from_day >= day AND NOT EXISTS (SELECT FROM kept WHERE kept.same_id = present.id)
  ), archived AS (
    INSERT INTO retired_spans (agent_id, from_day, id, isp_id, package_id, zone_id, custom, event_id, retired_by)
    SELECT agent_id, from_day, id, isp_id, package_id, zone_id, custom, event_id, change_event FROM gone
  ), removed AS (
    DELETE FROM spans USING gone
    WHERE spans.agent_id = gone.agent_id AND spans.from_day = gone.from_day
      AND NOT EXISTS (SELECT FROM kept WHERE kept.agent_id = gone.agent_id AND kept.from_day = gone.from_day)
  ), written AS (
    INSERT INTO spans (agent_id, from_day, isp_id, package_id, zone_id, custom, event_id)
    SELECT agent_id, from_day, isp_id, package_id, zone_id, custom, change_event FROM kept WHERE same_id IS NULL
    ON CONFLICT (agent_id, from_day) DO UPDATE SET id = excluded.id, isp_id = excluded.isp_id,
      package_id = excluded.package_id, zone_id = excluded.zone_id, custom = excluded.custom, event_id = excluded.event_id
    RETURNING agent_id, from_day, id, isp_id, package_id, zone_id, custom
  ), afterwards AS (
    SELECT agent_id, from_day, id, isp_id, package_id, zone_id, custom FROM present WHERE from_day < day
    UNION ALL
    SELECT agent_id, from_day, same_id, isp_id, package_id, zone_id, custom FROM kept WHERE same_id IS NOT NULL
    UNION ALL
    SELECT * FROM written
  ), folded AS (
    SELECT agent_id, array_agg(from_day ORDER BY from_day) AS days, array_agg(id ORDER BY from_day) AS span_ids
    FROM afterwards GROUP BY agent_id
  )
  UPDATE current_metadata AS current SET
    days = folded.days, span_ids = folded.span_ids,
    from_day = last.from_day, span_id = last.id,
    isp_id = last.isp_id, package_id = last.package_id, zone_id = last.zone_id, custom = last.custom
  FROM folded JOIN afterwards AS last
    ON last.agent_id = folded.agent_id AND last.from_day = folded.days[cardinality(folded.days)]
  WHERE current.agent_id = folded.agent_id AND current.span_ids <> folded.span_ids;
END
$$;
REVOKE ALL ON FUNCTION apply_change FROM PUBLIC;

-- Changes agents of the tenant and returns their number. Two limits protect the service:
--
-- - Every request of a caller that can read the organisation's panels reads the custom fields of the organisation. An
--   organisation can define 1,000 fields by its own changes. Operators can define more, and these fields stay.
-- - Every ClickHouse node holds the custom metadata of every span in memory. An agent may have 16 KiB.
--
-- If a limit is exceeded, the function raises an error with a code of its own (BG001, BG002). An older service that does not
-- know the code cannot mistake it for a successful change.
--
-- In a dry run the request is 'null'. A dry run defines no fields. It sets broadgauge.trial, so that its spans take no numbers
-- from span_ids: a rollback does not return numbers to a sequence.
CREATE OR REPLACE FUNCTION change_metadata(
  targets integer[], token integer, request text, request_body jsonb, day date,
  set_package boolean, new_isp integer, new_package integer,
  set_zone boolean, new_zone smallint,
  new_custom jsonb, dropped_keys text[], replace_all boolean
) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  tenant integer := current_organisation();
  is_trial boolean := jsonb_typeof(request_body) = 'null';
  unknown_fields text[];
  change_event bigint;
BEGIN
  IF cardinality(targets) = 0 THEN
    RETURN 0;
  END IF;
  IF tenant IS NULL OR EXISTS (
    SELECT FROM unnest(targets) AS target (agent_id)
      LEFT JOIN current_metadata USING (agent_id)
      LEFT JOIN panels ON panels.id = current_metadata.panel_id AND panels.owner_id = tenant
    WHERE panels.id IS NULL
  ) THEN
    RAISE EXCEPTION 'an agent of another organisation was to be changed';
  END IF;
  unknown_fields := ARRAY(
    SELECT field FROM jsonb_object_keys(new_custom) AS field
    WHERE NOT EXISTS (SELECT FROM custom_fields WHERE organisation_id = tenant AND key = field)
  );
  IF cardinality(unknown_fields) > 0 THEN
    -- Only one change per organisation runs at a time, so that two changes cannot both define the last field. The caller has
    -- already locked the agents. So a transaction that holds this lock never waits for a transaction that waits for this lock.
    IF NOT is_trial THEN
      PERFORM pg_advisory_xact_lock(7041932, tenant);
    END IF;
    IF (
      SELECT count(*) FROM (
        SELECT key FROM custom_fields WHERE organisation_id = tenant UNION SELECT unnest(unknown_fields)
      ) AS afterwards
    ) > 1000 THEN
      RAISE EXCEPTION 'the organisation would have more than 1000 custom fields' USING ERRCODE = 'BG001';
    END IF;
    IF NOT is_trial THEN
      INSERT INTO custom_fields (organisation_id, key)
      SELECT tenant, field FROM unnest(unknown_fields) AS field
      WHERE NOT EXISTS (SELECT FROM custom_fields WHERE organisation_id = tenant AND key = field)
      ORDER BY field
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  PERFORM set_config('broadgauge.trial', CASE WHEN is_trial THEN 'on' ELSE 'off' END, true);
  INSERT INTO metadata_events (organisation_id, kind, token_id, request_id, from_day, request, agents)
  VALUES (tenant, 'change', token, request, day, request_body, targets)
  RETURNING id INTO change_event;
  PERFORM apply_change(targets, change_event, day, set_package, new_isp, new_package, set_zone, new_zone, new_custom,
                       dropped_keys, replace_all);
  -- A change may reduce custom metadata that exceeds the limit, even if the result still exceeds it.
  IF new_custom <> '{}' AND EXISTS (
    SELECT FROM unnest(targets) AS target (agent_id) JOIN spans AS written USING (agent_id)
    WHERE written.event_id = change_event AND octet_length(written.custom::text) > 16384
      AND octet_length(written.custom::text) > greatest(
        (SELECT max(octet_length(gone.custom::text)) FROM retired_spans AS gone
         WHERE gone.agent_id = written.agent_id AND gone.retired_by = change_event),
        (SELECT octet_length(eve.custom::text) FROM spans AS eve
         WHERE eve.agent_id = written.agent_id AND eve.from_day < day ORDER BY eve.from_day DESC LIMIT 1),
        0)
  ) THEN
    RAISE EXCEPTION 'an agent would have more than 16 KiB of custom metadata' USING ERRCODE = 'BG002';
  END IF;
  RETURN cardinality(targets);
END
$$;
REVOKE ALL ON FUNCTION change_metadata FROM PUBLIC;
GRANT EXECUTE ON FUNCTION change_metadata TO broadgauge_service;

-- The next functions are for the dictionary reconciler of the service, which runs without a tenant and cannot read agents.
-- They find the events that ClickHouse has not loaded, and set their next stage. Each function returns the events that it has
-- found or changed.
CREATE OR REPLACE FUNCTION find_uncompacted_events() RETURNS TABLE (id bigint, published boolean, agents integer, registration boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT id, published, cardinality(agents), kind = 'registration' FROM metadata_events WHERE compacted_at IS NULL ORDER BY id;
END;
REVOKE ALL ON FUNCTION find_uncompacted_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_uncompacted_events TO broadgauge_service;

CREATE OR REPLACE FUNCTION announce_events() RETURNS TABLE (id bigint, published boolean, agents integer, registration boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE metadata_events SET announced = true WHERE compacted_at IS NULL AND NOT published
  RETURNING id, published, cardinality(agents), kind = 'registration';
END;
REVOKE ALL ON FUNCTION announce_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION announce_events TO broadgauge_service;

-- Begins compaction. A retired span stays in its dictionary for an hour, so that the timelines in ClickHouse that still refer
-- to it can find it. If the last compaction was longer ago, the hour begins now, because ClickHouse has loaded nothing in the
-- meantime.
CREATE OR REPLACE FUNCTION begin_compaction() RETURNS TABLE (id bigint, published boolean, agents integer, registration boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE retired_spans SET retired_at = clock_timestamp()
  FROM (
    SELECT metadata_events.id AS event_id, unnest(metadata_events.agents) AS agent_id FROM metadata_events
    WHERE compacted_at IS NULL AND recorded_at < clock_timestamp() - interval '30 minutes'
  ) AS waiting
  WHERE retired_spans.agent_id = waiting.agent_id AND retired_by = waiting.event_id
    AND retired_at < clock_timestamp() - interval '30 minutes';
  RETURN QUERY UPDATE metadata_events SET compacting = true WHERE compacted_at IS NULL
    RETURNING metadata_events.id, metadata_events.published, cardinality(metadata_events.agents), kind = 'registration';
END
$$;
REVOKE ALL ON FUNCTION begin_compaction FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_compaction TO broadgauge_service;

CREATE OR REPLACE FUNCTION record_published(event_ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE metadata_events SET published = true WHERE id = ANY (event_ids) AND NOT published;
END;
REVOKE ALL ON FUNCTION record_published FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_published TO broadgauge_service;

CREATE OR REPLACE FUNCTION record_compacted(event_ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE metadata_events SET compacted_at = now() WHERE id = ANY (event_ids) AND compacted_at IS NULL;
END;
REVOKE ALL ON FUNCTION record_compacted FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_compacted TO broadgauge_service;

CREATE OR REPLACE FUNCTION find_unevicted_events() RETURNS TABLE (id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT id FROM metadata_events WHERE compacted_at IS NOT NULL AND NOT evicted ORDER BY id;
END;
REVOKE ALL ON FUNCTION find_unevicted_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unevicted_events TO broadgauge_service;

CREATE OR REPLACE FUNCTION record_evicted(event_ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE metadata_events SET evicted = true WHERE id = ANY (event_ids) AND NOT evicted;
END;
REVOKE ALL ON FUNCTION record_evicted FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_evicted TO broadgauge_service;

-- Counts the distinct agents in events that the large dictionaries have not loaded.
CREATE OR REPLACE FUNCTION count_uncompacted_agents() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT count(*)::integer
  FROM (SELECT DISTINCT unnest(agents) AS agent_id FROM metadata_events WHERE compacted_at IS NULL) AS changed;
END;
REVOKE ALL ON FUNCTION count_uncompacted_agents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_uncompacted_agents TO broadgauge_service;

-- Returns the last span number that was used, for the operator's metrics.
CREATE OR REPLACE FUNCTION last_span_id() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT last_value FROM span_ids;
END;
REVOKE ALL ON FUNCTION last_span_id FROM PUBLIC;
GRANT EXECUTE ON FUNCTION last_span_id TO broadgauge_service;

-- Returns a text that changes whenever queries could see other metadata of the panels. The service cannot read the events of
-- the owners of subscribed panels, so the function reads them for the panels that the organisation may read.
CREATE OR REPLACE FUNCTION read_metadata_state(reader integer, panel_ids integer[]) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  WITH readable AS (
    SELECT id, owner_id FROM panels
    WHERE id = ANY (panel_ids) AND reader = current_organisation()
      AND (owner_id = reader OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = reader))
  ), owners AS (SELECT DISTINCT owner_id FROM readable)
  SELECT json_build_array(
    (SELECT json_agg((SELECT max(id) FROM metadata_events WHERE organisation_id = owner_id) ORDER BY owner_id) FROM owners),
    (SELECT json_agg(id ORDER BY id) FROM metadata_events
     WHERE compacted_at IS NULL AND NOT published AND organisation_id IN (SELECT owner_id FROM owners)),
    (SELECT json_build_array(count(*), count(finished_at)) FROM erasures WHERE panel_id IN (SELECT id FROM readable)),
    (SELECT json_build_array(max(id), (SELECT count(*) FROM package_speeds WHERE NOT published)) FROM package_speeds)
  )::text;
END;
REVOKE ALL ON FUNCTION read_metadata_state FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_metadata_state TO broadgauge_service;
