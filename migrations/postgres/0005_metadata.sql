-- Metadata is stored as timelines. A timeline says which metadata an agent has from which day on.
--
-- A span is a set of metadata and the day on which it begins. It ends where the agent's next span begins. Because (agent, day)
-- is the key, there can be neither a gap nor an overlap, and the last span has no end. Spans are immutable: a change writes
-- spans with new numbers, and moves the replaced spans to retired_spans. Therefore a query that uses older dictionaries still
-- finds its spans, and the metadata at any earlier time can be reconstructed.

-- The time zones that both PostgreSQL and the service know. `migrate` fills this table.
CREATE TABLE zones (
  id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);

-- One row per change of timelines: the token, the time, the request and the agents.
CREATE TABLE metadata_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  kind text NOT NULL CHECK (kind IN ('registration', 'change')),
  token_id integer REFERENCES tokens,
  request_id text,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  from_day date NOT NULL,
  -- The selector and the change, as the caller sent them. Null for a registration.
  request jsonb,
  agents integer[] NOT NULL,
  -- The next columns are the stages in which an event reaches ClickHouse's dictionaries, in order. The views below use them.
  --
  -- announced: the current or the next reload of the small dictionaries includes the event.
  announced boolean NOT NULL DEFAULT false,
  -- published: the timelines of the event are in the small dictionaries.
  published boolean NOT NULL DEFAULT false,
  -- compacting: the large dictionaries are loading the event.
  compacting boolean NOT NULL DEFAULT false,
  -- compacted: the large dictionaries have loaded the event.
  compacted_at timestamptz,
  -- evicted: the small dictionaries were reloaded after the event was compacted. Until then they can contain an earlier state
  -- of an agent, and queries read them first. The instance that compacts an event also evicts it. If that instance or
  -- ClickHouse stops in between, this flag lets another instance continue.
  evicted boolean NOT NULL DEFAULT false
);
CREATE INDEX metadata_events_uncompacted ON metadata_events (id) WHERE compacted_at IS NULL;
CREATE INDEX metadata_events_compacted ON metadata_events (compacted_at);
CREATE INDEX metadata_events_unevicted ON metadata_events (id) WHERE compacted_at IS NOT NULL AND NOT evicted;
CREATE INDEX metadata_events_organisation ON metadata_events (organisation_id, id);

-- Numbers of spans. They have 32 bits, because the key of custom values in ClickHouse is (field << 32 | span). Each number is
-- used only once. The memory of ClickHouse's dictionary of spans grows with the largest number, and the dictionary does not
-- load if a number is above a billion.
CREATE SEQUENCE span_ids AS bigint MAXVALUE 4294967295 NO CYCLE;
-- Numbers for the spans of a dry run, which are rolled back. These numbers are used again.
CREATE SEQUENCE trial_span_ids AS bigint INCREMENT BY -1 MINVALUE -4294967295 MAXVALUE -1 CYCLE;

-- There are no foreign keys: only functions write spans, and no role may delete an ISP, a package, a zone or an agent. Checking
-- five references for each of a million spans would be most of the work of a change.
CREATE TABLE spans (
  agent_id integer NOT NULL,
  from_day date NOT NULL CHECK (from_day >= '1970-01-01'),
  id bigint NOT NULL UNIQUE DEFAULT
    CASE WHEN current_setting('broadgauge.trial', true) = 'on' THEN nextval('trial_span_ids') ELSE nextval('span_ids') END,
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

-- Exactly one row per agent. It contains a copy of the agent's last span, for searches, and the whole timeline as two arrays,
-- the form in which ClickHouse reads it. A change locks this row, so changes of the same agent run one after another.
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
-- Half of each page stays free. An update that changes no indexed column then stays on its page and writes no index entry. For
-- the same reason there is no index on the package: a selector by package reads all agents of the organisation.
WITH (fillfactor = 50);
-- With the zone, a query finds the few zones of a panel without reading its agents. Zones change rarely.
CREATE INDEX current_metadata_panel ON current_metadata (panel_id, zone_id);
CREATE INDEX current_metadata_custom ON current_metadata USING gin (custom jsonb_path_ops);

CREATE TRIGGER agents_begin_timelines AFTER INSERT ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION begin_timelines_of_inserted();
CREATE TRIGGER agents_record_changed AFTER UPDATE ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION record_changed_agents();
CREATE TRIGGER current_metadata_updated AFTER UPDATE ON current_metadata
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION record_panel_custom_fields();
CREATE TRIGGER current_metadata_updated_values AFTER UPDATE ON current_metadata
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION record_values_of_metadata();

-- The outcomes of requests with an Idempotency-Key. An outcome is written in the transaction of the request itself.
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

-- The views that ClickHouse's dictionaries read. The large dictionaries contain everything. The small dictionaries, whose views
-- end in _recent, contain the agents of events that are not compacted. Queries read the small ones first. Therefore a change is
-- visible after a reload of milliseconds, even if the panel is large.
--
-- ClickHouse reads the dictionaries one after another while metadata changes continue, but a timeline may only refer to spans
-- that are loaded. Therefore the views of spans contain every span, also those that were retired within the last hour. The
-- views of timelines contain only events of a set that is fixed before the spans are read: the announced events (small
-- dictionaries) or the compacting events (large dictionaries). If an agent was changed by a later event, the views build its
-- timeline from the versions of its spans.

-- The branches have no WHERE, because otherwise the planner would not use the index of a table within a UNION.
--
-- A view that reads the spans of a few agents compares `retired_at + interval '1 hour'` with the time, so that the planner
-- finds the spans by their agent. The index retired_spans_recent would return every span of the last hour for each agent: after
-- 50,000 spans were replaced, the reload of the small dictionaries took 6 to 9 s with it and takes 0.2 s without it.
CREATE VIEW all_spans AS
  SELECT agent_id, from_day, id, isp_id, package_id, zone_id, custom, event_id, NULL::bigint AS retired_by,
    'infinity'::timestamptz AS retired_at FROM spans
  UNION ALL
  SELECT agent_id, from_day, id, isp_id, package_id, zone_id, custom, event_id, retired_by, retired_at FROM retired_spans;

-- A compacted event stays in this view for ten seconds: a query can have read a large dictionary just before its reload, and
-- read the small one a few milliseconds later. Events that are too large for the small dictionaries are loaded directly into
-- the large ones. Such events leave the view as soon as they are compacted.
CREATE VIEW uncompacted_events AS
  SELECT id, agents FROM metadata_events
  WHERE compacted_at IS NULL OR (published AND compacted_at > now() - interval '10 seconds');
CREATE VIEW uncompacted_agents AS
  SELECT DISTINCT unnest(agents) AS agent_id FROM uncompacted_events;

-- The views of the small dictionaries repeat the views of the large ones, with a condition on the agents inside: PostgreSQL
-- does not push a join with the agents down into a view.
CREATE VIEW compacted_timelines AS
  WITH later AS MATERIALIZED (
    SELECT id, agents FROM metadata_events WHERE compacted_at IS NULL AND NOT compacting
  ), changed AS MATERIALIZED (
    SELECT DISTINCT unnest(agents) AS agent_id FROM later
  )
  SELECT agent_id, from_day AS current_from, span_id AS current_span, days, span_ids
  FROM current_metadata WHERE NOT EXISTS (SELECT FROM changed WHERE changed.agent_id = current_metadata.agent_id)
  UNION ALL
  SELECT agent_id, max(from_day), (array_agg(id ORDER BY from_day DESC))[1], array_agg(from_day ORDER BY from_day),
    array_agg(id ORDER BY from_day)
  FROM changed JOIN all_spans USING (agent_id)
  WHERE retired_at + interval '1 hour' > now()
    AND event_id NOT IN (SELECT id FROM later) AND (retired_by IS NULL OR retired_by IN (SELECT id FROM later))
  GROUP BY agent_id;
CREATE VIEW announced_timelines AS
  WITH later AS MATERIALIZED (
    SELECT id, agents FROM metadata_events WHERE compacted_at IS NULL AND NOT announced
  ), changed AS MATERIALIZED (
    SELECT DISTINCT unnest(agents) AS agent_id FROM later
  )
  SELECT agent_id, from_day AS current_from, span_id AS current_span, days, span_ids
  FROM uncompacted_agents JOIN current_metadata USING (agent_id)
  WHERE NOT EXISTS (SELECT FROM changed WHERE changed.agent_id = current_metadata.agent_id)
  UNION ALL
  SELECT agent_id, max(from_day), (array_agg(id ORDER BY from_day DESC))[1], array_agg(from_day ORDER BY from_day),
    array_agg(id ORDER BY from_day)
  FROM changed JOIN all_spans USING (agent_id)
  WHERE retired_at + interval '1 hour' > now()
    AND event_id NOT IN (SELECT id FROM later) AND (retired_by IS NULL OR retired_by IN (SELECT id FROM later))
  GROUP BY agent_id;

-- The previous span has columns of its own. If the current span does not cover a result, the previous span nearly always does,
-- because most results are recent. A query then finds the span without searching the arrays.
CREATE VIEW dictionary_timeline AS
  SELECT *, coalesce(days[cardinality(days) - 1], current_from) AS previous_from,
    coalesce(span_ids[cardinality(days) - 1], current_span) AS previous_span
  FROM compacted_timelines;
CREATE VIEW dictionary_timeline_recent AS
  SELECT *, coalesce(days[cardinality(days) - 1], current_from) AS previous_from,
    coalesce(span_ids[cardinality(days) - 1], current_span) AS previous_span
  FROM announced_timelines;

-- The small dictionaries contain only the spans of uncompacted events. Spans are immutable, so the large dictionaries already
-- have the spans of compacted events. If the small dictionaries contained every span of every changed agent, a reload after a
-- few bulk changes would take longer than the five seconds in which a change must become visible.
CREATE VIEW dictionary_spans AS
  SELECT agent_id, id, coalesce(isp_id, 0) AS isp_id, coalesce(package_id, 0) AS package_id,
    coalesce(zone_id, 0) AS zone_id
  FROM all_spans WHERE retired_at > now() - interval '1 hour';
CREATE VIEW dictionary_spans_recent AS
  SELECT agent_id, id, coalesce(isp_id, 0) AS isp_id, coalesce(package_id, 0) AS package_id,
    coalesce(zone_id, 0) AS zone_id
  FROM uncompacted_agents JOIN all_spans USING (agent_id)
  WHERE retired_at + interval '1 hour' > now() AND event_id IN (SELECT id FROM uncompacted_events);

-- OFFSET 0 prevents the planner from joining the fields again for every span.
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
CREATE VIEW dictionary_custom_values_recent AS
  SELECT given.agent_id, (custom_fields.id::bigint << 32) | given.span_id AS key, given.value
  FROM (
    SELECT agent_id, all_spans.id AS span_id, panels.owner_id, pair.key, pair.value
    FROM uncompacted_agents
      JOIN all_spans USING (agent_id)
      JOIN current_metadata USING (agent_id)
      JOIN panels ON panels.id = current_metadata.panel_id
      CROSS JOIN jsonb_each_text(all_spans.custom) AS pair
    WHERE all_spans.custom <> '{}' AND all_spans.retired_at + interval '1 hour' > now()
      AND all_spans.event_id IN (SELECT id FROM uncompacted_events)
    OFFSET 0
  ) AS given
    JOIN custom_fields ON custom_fields.organisation_id = given.owner_id AND custom_fields.key = given.key;
