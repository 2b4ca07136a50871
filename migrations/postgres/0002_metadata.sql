-- Metadata as a timeline: what was true of an agent from which day on.
--
-- A span is a state and the day it begins; it ends where the agent's next one begins. With (agent, day) as the key there
-- can be neither a gap nor an overlap, and the last span is the open one. Spans are never changed: a change gives them a
-- new number and keeps the old one in retired_spans, so that a query running on older dictionaries still finds it, and
-- so that what was known at any earlier moment can be told.

-- Zones known to PostgreSQL, ClickHouse and the service alike; filled by `migrate`. Facts of zones are not ours.
CREATE TABLE zones (
  id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);

-- One row per change of the timeline: who, when, by which request, which agents.
CREATE TABLE metadata_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  kind text NOT NULL CHECK (kind IN ('registration', 'change')),
  token_id integer REFERENCES tokens,
  request_id text,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  from_day date NOT NULL,
  -- The selector and the change as the caller sent them; null for a registration.
  request jsonb,
  agents integer[] NOT NULL,
  -- The way into the engine: announced, its spans are loaded; told, its timelines are in the small dictionaries too;
  -- settling, the large ones are being loaded with it; settled, they have been. See the views at the end of this file.
  announced boolean NOT NULL DEFAULT false,
  told boolean NOT NULL DEFAULT false,
  settling boolean NOT NULL DEFAULT false,
  settled_at timestamptz
);
CREATE INDEX metadata_events_unsettled ON metadata_events (id) WHERE settled_at IS NULL;
CREATE INDEX metadata_events_settled ON metadata_events (settled_at);
CREATE INDEX metadata_events_organisation ON metadata_events (organisation_id, id);

-- Numbers of spans; 32 bits, because the engine keys custom values by (field << 32 | span). Never used twice.
CREATE SEQUENCE span_ids AS bigint MAXVALUE 4294967295 NO CYCLE;

-- No foreign keys: what a span names is only ever written by the functions below, and nobody may delete an ISP, a package,
-- a zone or an agent. Checking five references for each of a million spans would be most of the work of a change.
CREATE TABLE spans (
  agent_id integer NOT NULL,
  from_day date NOT NULL CHECK (from_day >= '1970-01-01'),
  id bigint NOT NULL DEFAULT nextval('span_ids') UNIQUE,
  isp_id integer,
  package_id integer,
  zone_id smallint,
  custom jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom) = 'object'),
  event_id bigint NOT NULL,
  PRIMARY KEY (agent_id, from_day),
  CHECK (package_id IS NULL OR isp_id IS NOT NULL)
);

CREATE TABLE retired_spans (
  agent_id integer NOT NULL,
  from_day date NOT NULL,
  id bigint NOT NULL,
  isp_id integer,
  package_id integer,
  zone_id smallint,
  custom jsonb NOT NULL,
  event_id bigint NOT NULL,
  retired_by bigint NOT NULL,
  retired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent_id, id)
);
CREATE INDEX retired_spans_recent ON retired_spans (retired_at);

-- Exactly one row an agent: its open span, repeated here to be found by what it says, and the whole timeline as two
-- arrays, the form in which the engine reads it. Changes lock this row, so they follow one another.
CREATE TABLE current_metadata (
  agent_id integer PRIMARY KEY,
  panel_id integer NOT NULL,
  span_id bigint NOT NULL,
  from_day date NOT NULL,
  isp_id integer,
  package_id integer,
  zone_id smallint,
  custom jsonb NOT NULL,
  days date[] NOT NULL,
  span_ids bigint[] NOT NULL,
  CHECK (cardinality(days) = cardinality(span_ids)),
  CHECK (from_day = days[cardinality(days)] AND span_id = span_ids[cardinality(span_ids)])
)
-- Half of each page is left free: a change that touches no indexed column then stays on its page and costs no index entry.
-- So there is no index on package or zone either; a selector by those reads the organisation's agents.
WITH (fillfactor = 50);
CREATE INDEX current_metadata_panel ON current_metadata (panel_id);
CREATE INDEX current_metadata_custom ON current_metadata USING gin (custom jsonb_path_ops);

-- Every agent has a timeline from its first moment on: one span without metadata, from the beginning of time.
CREATE FUNCTION begin_timelines(new_agents integer[]) RETURNS void
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
  -- Not with "new": two sets the planner thinks small are joined by comparing each with each.
  FROM begun JOIN agents ON agents.id = begun.agent_id;
END;
REVOKE ALL ON FUNCTION begin_timelines(integer[]) FROM PUBLIC;

CREATE FUNCTION begin_timelines_of_inserted() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM begin_timelines(ARRAY(SELECT id FROM written));
  RETURN NULL;
END
$$;
CREATE TRIGGER agents_begin_timelines AFTER INSERT ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION begin_timelines_of_inserted();

-- Values of an agent that change (a new model, a new MAC address) are news for the engine too.
CREATE FUNCTION note_changed_agents() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO metadata_events (organisation_id, kind, from_day, agents)
  SELECT panels.owner_id, 'registration', '1970-01-01', array_agg(written.id ORDER BY written.id)
  FROM written JOIN panels ON panels.id = written.panel_id
  GROUP BY panels.owner_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER agents_note_changed AFTER UPDATE ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_changed_agents();

-- For agents registered by an earlier version.
SELECT begin_timelines(ARRAY(SELECT id FROM agents));

-- Sets fields of agents from a day on. The fields given hold for that day and every later one, over later changes of the
-- same field; other fields keep their own later changes. With replace_all every field not given becomes empty.
-- The agents' rows of current_metadata must be locked by the caller. One statement for any number of agents.
CREATE FUNCTION apply_change(
  targets integer[], change_event bigint, day date,
  set_package boolean, new_isp integer, new_package integer,
  set_zone boolean, new_zone smallint,
  new_custom jsonb, dropped_keys text[], replace_all boolean
) RETURNS void
-- Planned for the agents at hand: a plan made for one agent is quadratic for a hundred thousand.
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_custom_plan SET work_mem = '128MB' SET jit = off AS $$
BEGIN
  WITH present AS MATERIALIZED (
    SELECT spans.*, lead(from_day) OVER (PARTITION BY agent_id ORDER BY from_day) AS next_day
    FROM unnest(targets) AS target (agent_id) JOIN spans USING (agent_id)
  ), before AS (
    -- In force on the eve of the day: not touched, but compared with.
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
    -- A span that says what the one before it says is none.
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

-- What the service may call: checks that every agent is the tenant's own, keeps the event, applies the change. Runs as
-- the owner of the schema; the service itself has no right to write any of these tables.
CREATE FUNCTION change_metadata(
  targets integer[], token integer, request text, request_body jsonb, day date,
  set_package boolean, new_isp integer, new_package integer,
  set_zone boolean, new_zone smallint,
  new_custom jsonb, dropped_keys text[], replace_all boolean
) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  tenant integer := current_organisation();
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
  INSERT INTO custom_fields (organisation_id, key)
  SELECT tenant, field FROM jsonb_object_keys(new_custom) AS field
  WHERE NOT EXISTS (SELECT FROM custom_fields WHERE organisation_id = tenant AND key = field)
  ORDER BY field
  ON CONFLICT DO NOTHING;
  INSERT INTO metadata_events (organisation_id, kind, token_id, request_id, from_day, request, agents)
  VALUES (tenant, 'change', token, request, day, request_body, targets)
  RETURNING id INTO change_event;
  PERFORM apply_change(targets, change_event, day, set_package, new_isp, new_package, set_zone, new_zone, new_custom,
                       dropped_keys, replace_all);
  RETURN cardinality(targets);
END
$$;

-- Who is asking, and in the same look-up what they ask for: reading one agent's metadata costs one round trip. Limited to
-- the panels the token's organisation can read, here because before it no tenant is known.
CREATE FUNCTION authenticate_and_read(token_sha256 bytea, field text, value text)
RETURNS TABLE (
  token_id integer, sha256 bytea, scopes text[], organisation_id integer, organisation_key text, metadata json
)
-- In PL/pgSQL, which keeps the plan of its statement; as plain SQL it is planned at every call.
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  SELECT tokens.id, tokens.sha256, tokens.scopes, organisations.id, organisations.key, (
    SELECT json_build_object('package', isps.name || ':' || packages.name, 'isp', isps.name, 'timezone', zones.name,
                             'custom', current.custom)
    FROM current_metadata AS current
      JOIN panels ON panels.id = current.panel_id
      LEFT JOIN isps ON isps.id = current.isp_id
      LEFT JOIN packages ON packages.id = current.package_id
      LEFT JOIN zones ON zones.id = current.zone_id
    WHERE current.agent_id = CASE field
        WHEN 'agent' THEN (SELECT id FROM agents WHERE agent_key = identifier_key(value))
        WHEN 'unit' THEN (SELECT id FROM agents WHERE unit_id = value::bigint)
        WHEN 'mac' THEN (SELECT id FROM agents WHERE mac_key = identifier_key(value))
      END
      AND (panels.owner_id = organisations.id OR EXISTS (
        SELECT FROM panel_subscriptions AS subscription
        WHERE subscription.organisation_id = organisations.id AND subscription.panel_id = panels.id
      ))
  )
  INTO token_id, sha256, scopes, organisation_id, organisation_key, metadata
  FROM tokens JOIN organisations ON organisations.id = tokens.organisation_id
  WHERE tokens.sha256 = token_sha256
    AND tokens.revoked_at IS NULL
    AND (tokens.expires_at IS NULL OR tokens.expires_at > now());
  IF FOUND THEN
    RETURN NEXT;
  END IF;
END
$$;

-- First outcomes of requests with an Idempotency-Key, written in the transaction of the request itself.
CREATE TABLE idempotency_keys (
  organisation_id integer NOT NULL REFERENCES organisations,
  key text NOT NULL,
  request_sha256 bytea NOT NULL,
  status integer NOT NULL,
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE FUNCTION purge_idempotency_keys(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM idempotency_keys WHERE created_at < now() - older_than;
END;
REVOKE ALL ON FUNCTION purge_idempotency_keys(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_idempotency_keys(interval) TO broadgauge_service;

-- How often each token called which endpoint, by day and outcome. For the operator; no interface shows it.
CREATE TABLE api_calls (
  organisation_id integer NOT NULL REFERENCES organisations,
  token_id integer NOT NULL REFERENCES tokens,
  endpoint text NOT NULL,
  status smallint NOT NULL,
  day date NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (organisation_id, token_id, endpoint, status, day)
);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['metadata_events', 'spans', 'retired_spans', 'current_metadata',
                                      'idempotency_keys', 'api_calls'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY dictionary ON %I FOR SELECT TO broadgauge_dictionary USING (true)', tenant_table);
  END LOOP;
END
$$;

-- Reading: panels one owns or is subscribed to. Locking for a change: panels one owns.
CREATE POLICY tenant_reads ON current_metadata FOR SELECT TO broadgauge_service
  USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant_changes ON current_metadata FOR UPDATE TO broadgauge_service
  USING (panel_id IN (SELECT id FROM panels WHERE owner_id = current_organisation()))
  WITH CHECK (false);
CREATE POLICY tenant ON spans FOR SELECT TO broadgauge_service
  USING (EXISTS (SELECT FROM agents WHERE agents.id = spans.agent_id));
CREATE POLICY tenant ON idempotency_keys TO broadgauge_service USING (organisation_id = current_organisation());

REVOKE ALL ON FUNCTION
  apply_change(integer[], bigint, date, boolean, integer, integer, boolean, smallint, jsonb, text[], boolean),
  change_metadata(integer[], integer, text, jsonb, date, boolean, integer, integer, boolean, smallint, jsonb, text[], boolean)
  FROM PUBLIC;
REVOKE ALL ON FUNCTION authenticate_and_read(bytea, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authenticate_and_read(bytea, text, text) TO broadgauge_service;
GRANT EXECUTE ON FUNCTION
  change_metadata(integer[], integer, text, jsonb, date, boolean, integer, integer, boolean, smallint, jsonb, text[], boolean)
  TO broadgauge_service;
GRANT SELECT ON zones, spans TO broadgauge_service;
-- The right to update one column is what FOR UPDATE asks for; the policy above lets no update through.
GRANT SELECT, UPDATE (agent_id) ON current_metadata TO broadgauge_service;
GRANT SELECT, INSERT, UPDATE ON idempotency_keys TO broadgauge_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON zones, metadata_events, spans, retired_spans, current_metadata, idempotency_keys,
  api_calls TO broadgauge_operator;
GRANT USAGE ON SEQUENCE span_ids TO broadgauge_operator;
REVOKE DELETE ON isps, packages, zones, agents, spans, current_metadata FROM broadgauge_operator;

-- What the engine's dictionaries read. The large ones hold everything; the small ones in front of them hold the agents of
-- events that are not settled, so that a change is seen after a reload of milliseconds, whatever the panel's size.
--
-- Dictionaries are read one after the other while changes go on, yet a timeline may only name spans that are loaded. So
-- spans are read as they are, also those retired within the hour, and timelines as of a set of events fixed before the
-- spans were read: those announced (small ones) or settling (large ones). The timeline of an agent that has been changed
-- since is put together from the versions of its spans.
-- No condition inside: the planner looks a table up by an index within a UNION only where it stands bare.
CREATE VIEW all_spans AS
  SELECT agent_id, from_day, id, isp_id, package_id, zone_id, custom, event_id, NULL::bigint AS retired_by,
    'infinity'::timestamptz AS retired_at FROM spans
  UNION ALL
  SELECT agent_id, from_day, id, isp_id, package_id, zone_id, custom, event_id, retired_by, retired_at FROM retired_spans;

-- The small views are written out although they are the large ones joined with the agents: a join does not reach inside.
CREATE VIEW dictionary_timeline AS
  WITH later AS MATERIALIZED (
    SELECT id, agents FROM metadata_events WHERE settled_at IS NULL AND NOT settling
  ), changed AS MATERIALIZED (
    SELECT DISTINCT unnest(agents) AS agent_id FROM later
  )
  SELECT agent_id, from_day AS current_from, span_id AS current_span, days, span_ids
  FROM current_metadata WHERE NOT EXISTS (SELECT FROM changed WHERE changed.agent_id = current_metadata.agent_id)
  UNION ALL
  SELECT agent_id, max(from_day), (array_agg(id ORDER BY from_day DESC))[1], array_agg(from_day ORDER BY from_day),
    array_agg(id ORDER BY from_day)
  FROM changed JOIN all_spans USING (agent_id)
  WHERE retired_at > now() - interval '1 hour'
    AND event_id NOT IN (SELECT id FROM later) AND (retired_by IS NULL OR retired_by IN (SELECT id FROM later))
  GROUP BY agent_id;

-- Settled ones stay for a minute: a query may have looked into a large dictionary just before it was loaded. Not those
-- that went straight into the large ones because they are so many.
CREATE VIEW unsettled_agents AS
  SELECT DISTINCT unnest(agents) AS agent_id FROM metadata_events
  WHERE settled_at IS NULL OR (told AND settled_at > now() - interval '1 minute');

CREATE VIEW dictionary_timeline_recent AS
  WITH later AS MATERIALIZED (
    SELECT id, agents FROM metadata_events WHERE settled_at IS NULL AND NOT announced
  ), changed AS MATERIALIZED (
    SELECT DISTINCT unnest(agents) AS agent_id FROM later
  )
  SELECT agent_id, from_day AS current_from, span_id AS current_span, days, span_ids
  FROM unsettled_agents JOIN current_metadata USING (agent_id)
  WHERE NOT EXISTS (SELECT FROM changed WHERE changed.agent_id = current_metadata.agent_id)
  UNION ALL
  SELECT agent_id, max(from_day), (array_agg(id ORDER BY from_day DESC))[1], array_agg(from_day ORDER BY from_day),
    array_agg(id ORDER BY from_day)
  FROM changed JOIN all_spans USING (agent_id)
  WHERE retired_at > now() - interval '1 hour'
    AND event_id NOT IN (SELECT id FROM later) AND (retired_by IS NULL OR retired_by IN (SELECT id FROM later))
  GROUP BY agent_id;

CREATE VIEW dictionary_spans AS
  SELECT agent_id, id, coalesce(isp_id, 0) AS isp_id, coalesce(package_id, 0) AS package_id,
    coalesce(zone_id, 0) AS zone_id
  FROM all_spans WHERE retired_at > now() - interval '1 hour';

-- OFFSET 0 keeps the planner from joining the fields once for every span.
CREATE VIEW dictionary_custom_values AS
  SELECT given.agent_id, (custom_fields.id::bigint << 32) | given.span_id AS key, given.value
  FROM (
    SELECT all_spans.agent_id, all_spans.id AS span_id, panels.owner_id, pair.key, pair.value
    FROM all_spans
      JOIN current_metadata ON current_metadata.agent_id = all_spans.agent_id
      JOIN panels ON panels.id = current_metadata.panel_id
      CROSS JOIN jsonb_each_text(all_spans.custom) AS pair
    WHERE all_spans.custom <> '{}' AND all_spans.retired_at > now() - interval '1 hour'
    OFFSET 0
  ) AS given
    JOIN custom_fields ON custom_fields.organisation_id = given.owner_id AND custom_fields.key = given.key;

CREATE VIEW dictionary_spans_recent AS
  SELECT agent_id, id, coalesce(isp_id, 0) AS isp_id, coalesce(package_id, 0) AS package_id,
    coalesce(zone_id, 0) AS zone_id
  FROM unsettled_agents JOIN all_spans USING (agent_id) WHERE retired_at > now() - interval '1 hour';
CREATE VIEW dictionary_custom_values_recent AS
  SELECT given.agent_id, (custom_fields.id::bigint << 32) | given.span_id AS key, given.value
  FROM (
    SELECT agent_id, all_spans.id AS span_id, panels.owner_id, pair.key, pair.value
    FROM unsettled_agents
      JOIN all_spans USING (agent_id)
      JOIN current_metadata USING (agent_id)
      JOIN panels ON panels.id = current_metadata.panel_id
      CROSS JOIN jsonb_each_text(all_spans.custom) AS pair
    WHERE all_spans.custom <> '{}' AND all_spans.retired_at > now() - interval '1 hour'
    OFFSET 0
  ) AS given
    JOIN custom_fields ON custom_fields.organisation_id = given.owner_id AND custom_fields.key = given.key;

GRANT SELECT ON zones TO broadgauge_dictionary;
GRANT SELECT ON dictionary_timeline, dictionary_spans, dictionary_custom_values, dictionary_timeline_recent,
  dictionary_spans_recent, dictionary_custom_values_recent TO broadgauge_dictionary;

-- For the service's keeper of dictionaries, which speaks for no tenant and learns no agent: which events the engine does
-- not have yet, and moving them on. Each answers the events it is about.
CREATE FUNCTION find_unsettled_events() RETURNS TABLE (id bigint, told boolean, agents integer, registration boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT id, told, cardinality(agents), kind = 'registration' FROM metadata_events WHERE settled_at IS NULL ORDER BY id;
END;

CREATE FUNCTION announce_events() RETURNS TABLE (id bigint, told boolean, agents integer, registration boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE metadata_events SET announced = true WHERE settled_at IS NULL AND NOT told
  RETURNING id, told, cardinality(agents), kind = 'registration';
END;

CREATE FUNCTION begin_settling() RETURNS TABLE (id bigint, told boolean, agents integer, registration boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE metadata_events SET settling = true WHERE settled_at IS NULL
  RETURNING id, told, cardinality(agents), kind = 'registration';
END;

CREATE FUNCTION note_told(event_ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE metadata_events SET told = true WHERE id = ANY (event_ids) AND NOT told;
END;

CREATE FUNCTION note_settled(event_ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE metadata_events SET settled_at = now() WHERE id = ANY (event_ids) AND settled_at IS NULL;
END;

-- Adds to the counts of calls; takes parallel arrays, one element a count.
CREATE FUNCTION note_api_calls(
  organisation_ids integer[], token_ids integer[], endpoints text[], statuses smallint[], days date[], counts bigint[]
) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  INSERT INTO api_calls (organisation_id, token_id, endpoint, status, day, calls)
  SELECT organisation_id, token_id, endpoint, status, day, count
  FROM unnest(organisation_ids, token_ids, endpoints, statuses, days, counts)
    AS noted (organisation_id, token_id, endpoint, status, day, count)
  ORDER BY organisation_id, token_id, endpoint, status, day
  ON CONFLICT (organisation_id, token_id, endpoint, status, day) DO UPDATE SET calls = api_calls.calls + excluded.calls;
END;

REVOKE ALL ON FUNCTION find_unsettled_events(), announce_events(), begin_settling(), note_told(bigint[]), note_settled(bigint[]),
  note_api_calls(integer[], integer[], text[], smallint[], date[], bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unsettled_events(), announce_events(), begin_settling(), note_told(bigint[]), note_settled(bigint[]),
  note_api_calls(integer[], integer[], text[], smallint[], date[], bigint[]) TO broadgauge_service;
