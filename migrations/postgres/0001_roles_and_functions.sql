-- Three group roles hold the rights. An operator makes login roles members of them:
--   broadgauge_operator    the command line and migrations: every row
--   broadgauge_service     the service: only rows of the organisation in broadgauge.organisation (row-level security)
--   broadgauge_dictionary  ClickHouse, which fills its dictionaries: read only
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['broadgauge_operator', 'broadgauge_service', 'broadgauge_dictionary'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL; -- All databases of a server share roles: a migration of another database has just created this role.
    END;
  END LOOP;
  -- A role that creates another role may grant that role, but does not have its rights. Functions that run as their owner need
  -- these rights.
  IF NOT pg_has_role(current_user, 'broadgauge_operator', 'USAGE') THEN
    EXECUTE format('GRANT broadgauge_operator TO %I', current_user);
  END IF;
END
$$;

-- A role that may create functions and operators in `public` could create ones that match a call better than those in
-- `pg_catalog`.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- Declarations of the functions that generated columns, policies and triggers refer to. The files in functions/ define all
-- functions, and `migrate` runs them in the same transaction, so no other transaction sees these bodies.
CREATE FUNCTION current_organisation() RETURNS integer LANGUAGE sql STABLE RETURN NULL::integer;
CREATE FUNCTION identifier_key(identifier text) RETURNS text LANGUAGE sql IMMUTABLE RETURN identifier;
DO $$
DECLARE
  trigger_function text;
BEGIN
  FOREACH trigger_function IN ARRAY ARRAY[
    'begin_timelines_of_inserted', 'date_recorded_upto', 'drop_request', 'record_changed_agents', 'record_panel_custom_fields',
    'record_panel_kinds', 'record_values_of_agents', 'record_values_of_metadata', 'invalidate_rollups_of_changed',
    'invalidate_rollups_of_erased', 'invalidate_rollups_of_updated'
  ] LOOP
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', trigger_function,
                   'BEGIN RAISE EXCEPTION ''declared, not defined: run broadgauge migrate''; END');
  END LOOP;
END
$$;
