-- Row-level security is forced, so it also applies to the owner of the tables. It is the second layer of defence: every
-- statement also contains the organisation. For each layer there is a test that removes the other one.
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY[
    'agents', 'api_calls', 'audit_records', 'current_metadata', 'custom_fields', 'entitlements', 'erasures', 'exports',
    'idempotency_keys', 'import_files', 'ingest_batches', 'limit_buckets', 'metadata_events', 'recorded_calls', 'organisations',
    'panel_custom_fields', 'panel_kinds', 'panel_subscriptions', 'panel_values', 'panels', 'people_events', 'retired_spans',
    'rollup_builds', 'rollup_days', 'rollup_moves', 'rollup_panels', 'rollup_tests', 'running_queries', 'sessions', 'spans',
    'tokens', 'users'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', tenant_table);
  END LOOP;
  FOREACH tenant_table IN ARRAY ARRAY[
    'agents', 'api_calls', 'current_metadata', 'custom_fields', 'entitlements', 'idempotency_keys', 'metadata_events',
    'organisations', 'panel_kinds', 'panel_subscriptions', 'panels', 'retired_spans', 'spans', 'tokens'
  ] LOOP
    EXECUTE format('CREATE POLICY dictionary ON %I FOR SELECT TO broadgauge_dictionary USING (true)', tenant_table);
  END LOOP;
END
$$;

-- Policies for the service. It can write three tables directly, and only rows of the organisation: idempotency_keys,
-- ingest_batches and exports. All other policies are for reading, or for locking rows of panels that the organisation owns.
CREATE POLICY tenant ON organisations FOR SELECT TO broadgauge_service USING (id = current_organisation());
CREATE POLICY tenant ON entitlements FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON users FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON sessions FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON tokens FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON people_events FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON idempotency_keys TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON ingest_batches TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON exports TO broadgauge_service USING (organisation_id = current_organisation());

-- The panels that the organisation owns or is subscribed to. The policies below use this policy through their subqueries on
-- panels.
CREATE POLICY tenant ON panel_subscriptions FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON panels FOR SELECT TO broadgauge_service USING (
  owner_id = current_organisation() OR id IN (SELECT panel_id FROM panel_subscriptions)
);
CREATE POLICY tenant ON agents FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant ON panel_kinds FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant ON panel_custom_fields FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant ON panel_values FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant ON custom_fields FOR SELECT TO broadgauge_service USING (
  organisation_id = current_organisation() OR id IN (SELECT field_id FROM panel_custom_fields)
);
CREATE POLICY tenant ON spans FOR SELECT TO broadgauge_service
  USING (EXISTS (SELECT FROM agents WHERE agents.id = spans.agent_id));
-- The service reads the metadata of panels that the organisation can read. It locks (FOR UPDATE) the metadata of panels that
-- the organisation owns.
CREATE POLICY tenant_reads ON current_metadata FOR SELECT TO broadgauge_service
  USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant_changes ON current_metadata FOR UPDATE TO broadgauge_service
  USING (panel_id IN (SELECT id FROM panels WHERE owner_id = current_organisation()))
  WITH CHECK (false);
-- The service excludes the results of erased agents. ClickHouse needs some time to delete these results, and until then they
-- would appear without an agent and without a time zone. The numbers reveal nothing about the agents.
CREATE POLICY tenant ON erasures FOR SELECT TO broadgauge_service
  USING (finished_at IS NULL AND panel_id IN (SELECT id FROM panels));

-- All organisations may read this table, because it contains no data of organisations.
CREATE POLICY tenant ON rollup_tests FOR SELECT TO broadgauge_service USING (true);
CREATE POLICY tenant ON rollup_panels FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant ON rollup_days FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));

GRANT SELECT ON organisations, entitlements, panels, panel_subscriptions, agents, isps, packages, zones, custom_fields,
  panel_kinds, panel_custom_fields, panel_values, spans, rollup_tests, rollup_panels, rollup_days TO broadgauge_service;
-- The columns that the console shows. The service may not read the hashes.
GRANT SELECT (id, organisation_id, name, provider, has_password) ON users TO broadgauge_service;
GRANT SELECT (id, organisation_id, label, visible_part, scopes, created_at, expires_at, revoked_at, last_used_at, session_id,
  created_by, of_session) ON tokens TO broadgauge_service;
GRANT SELECT (agent_number, panel_id, finished_at) ON erasures TO broadgauge_service;
-- FOR UPDATE requires the right to update at least one column. The policy above refuses every update.
GRANT SELECT, UPDATE (agent_id) ON current_metadata TO broadgauge_service;
GRANT SELECT, INSERT, UPDATE ON idempotency_keys, ingest_batches, exports TO broadgauge_service;

GRANT SELECT ON panels, agents, isps, packages, zones, custom_fields, dictionary_timeline, dictionary_timeline_recent,
  dictionary_spans, dictionary_spans_recent, dictionary_custom_values, dictionary_custom_values_recent
  TO broadgauge_dictionary;

GRANT SELECT, INSERT, UPDATE, DELETE ON schema_migrations, organisations, entitlements, users, sessions, tokens, people_events,
  panels, panel_subscriptions, panel_kinds, custom_fields, metadata_events, retired_spans, idempotency_keys, ingest_batches,
  import_files, exports, rollup_tests, rollup_panels, rollup_builds, rollup_days, rollup_moves, limit_buckets, running_queries,
  api_calls, recorded_calls TO broadgauge_operator;
-- No DELETE, because spans refer to these rows without foreign keys.
GRANT SELECT, INSERT, UPDATE ON agents, isps, packages, zones, spans, current_metadata TO broadgauge_operator;
-- Rows of these tables are only added.
GRANT SELECT, INSERT ON panel_custom_fields, panel_values TO broadgauge_operator;
-- When an agent is erased, its identifiers in bodies are replaced. Nothing else changes a record.
GRANT SELECT, UPDATE (body) ON audit_records TO broadgauge_operator;
GRANT SELECT ON erasures, audited_queries TO broadgauge_operator;
GRANT USAGE ON SEQUENCE span_ids TO broadgauge_operator;
