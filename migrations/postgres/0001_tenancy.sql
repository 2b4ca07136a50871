-- Who may see what: organisations, their tokens, panels and agents; the shared catalogue of ISPs and packages.
--
-- Three group roles hold the rights; an operator makes login roles members of them:
--   broadgauge_operator    the command line and migrations: every row
--   broadgauge_service     the service: only rows of the organisation named in broadgauge.organisation (row-level security)
--   broadgauge_dictionary  ClickHouse, filling its dictionaries: read only
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
      NULL; -- roles are shared by all databases of a server: a migration of another one was faster
    END;
  END LOOP;
  -- Whoever creates a role may hand it out, but does not have its rights; the functions below need them.
  IF NOT pg_has_role(current_user, 'broadgauge_operator', 'USAGE') THEN
    EXECUTE format('GRANT broadgauge_operator TO %I', current_user);
  END IF;
END
$$;

-- The tenant of the running transaction. Unset means none, and none sees nothing.
CREATE FUNCTION current_organisation() RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('broadgauge.organisation', true), '')::integer;

-- Identifiers are compared without punctuation and case.
CREATE FUNCTION identifier_key(identifier text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(regexp_replace(identifier, '[^A-Za-z0-9]', '', 'g') COLLATE "C");

CREATE TABLE organisations (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text NOT NULL CHECK (name <> ''),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tokens (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  label text NOT NULL,
  visible_part text NOT NULL,
  sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
  scopes text[] NOT NULL CHECK (
    cardinality(scopes) > 0
    AND scopes <@ ARRAY['data:read', 'metadata:read', 'metadata:write', 'ingest:write']
  ),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
CREATE INDEX tokens_organisation ON tokens (organisation_id);

CREATE TABLE panels (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name text NOT NULL CHECK (name <> ''),
  -- One owner: the organisation that may change the agents' metadata, ingest, and name custom fields.
  owner_id integer NOT NULL REFERENCES organisations,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX panels_owner ON panels (owner_id);

CREATE TABLE panel_subscriptions (
  organisation_id integer NOT NULL REFERENCES organisations,
  panel_id integer NOT NULL REFERENCES panels,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation_id, panel_id)
);
CREATE INDEX panel_subscriptions_panel ON panel_subscriptions (panel_id);

-- Which tests and metrics an organisation may ask for. The key '*' stands for all, also those added later.
CREATE TABLE entitlements (
  organisation_id integer NOT NULL REFERENCES organisations,
  subject text NOT NULL CHECK (subject IN ('test', 'metric')),
  key text NOT NULL CHECK (key <> ''),
  PRIMARY KEY (organisation_id, subject, key)
);

CREATE TABLE agents (
  -- The agent's number in every fact row (UInt32 there).
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  panel_id integer NOT NULL REFERENCES panels,
  kind text NOT NULL CHECK (kind IN ('whitebox', 'cpe', 'mobile', 'web')),
  agent_id text NOT NULL CHECK (agent_id ~ '^[ -~]{1,128}$'),
  agent_key text NOT NULL GENERATED ALWAYS AS (identifier_key(agent_id)) STORED UNIQUE CHECK (agent_key <> ''),
  -- JSON integers are exact up to 2^53 - 1. Mobile and web agents may have no unit.
  unit_id bigint UNIQUE CHECK (unit_id BETWEEN 0 AND 9007199254740991),
  mac_address text CHECK (mac_address ~ '^[ -~]{1,64}$'),
  mac_key text GENERATED ALWAYS AS (identifier_key(mac_address)) STORED UNIQUE CHECK (mac_key <> ''),
  base text CHECK (base <> ''),
  country text CHECK (country <> ''),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (kind IN ('mobile', 'web') OR unit_id IS NOT NULL)
);
CREATE INDEX agents_panel ON agents (panel_id);

-- Kinds of agent a panel has had, so that a listing need not look at ten million agents. Only ever added to: results
-- of an agent that has left are still there to be asked for.
CREATE TABLE panel_kinds (
  panel_id integer NOT NULL REFERENCES panels,
  kind text NOT NULL,
  PRIMARY KEY (panel_id, kind)
);

CREATE FUNCTION note_panel_kinds() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO panel_kinds (panel_id, kind)
  SELECT DISTINCT panel_id, kind FROM written
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER agents_inserted AFTER INSERT ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_panel_kinds();
CREATE TRIGGER agents_updated AFTER UPDATE ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_panel_kinds();

CREATE TABLE isps (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- '<isp>:<package>' is cut at the first colon.
  name text NOT NULL UNIQUE CHECK (name <> '' AND name !~ '[:[:cntrl:]]')
);

CREATE TABLE packages (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  isp_id integer NOT NULL REFERENCES isps,
  name text NOT NULL CHECK (name <> '' AND name !~ '[[:cntrl:]]'),
  download_bits_sec bigint CHECK (download_bits_sec > 0),
  upload_bits_sec bigint CHECK (upload_bits_sec > 0),
  UNIQUE (isp_id, name)
);

-- Names of custom metadata, per owning organisation.
CREATE TABLE custom_fields (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  -- Which characters are letters is the service's to judge; here it would depend on the server's locale.
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organisation_id, key)
);

-- Row-level security, forced: it binds the owner of the tables too. It is the second wall behind the organisation in
-- every statement; each wall has a test that takes the other one away.
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['organisations', 'tokens', 'panels', 'panel_subscriptions', 'entitlements',
                                      'agents', 'panel_kinds', 'custom_fields'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY dictionary ON %I FOR SELECT TO broadgauge_dictionary USING (true)', tenant_table);
  END LOOP;
END
$$;

-- For reading only: whoever is one day given the right to write needs a policy of its own, for panels one owns.
CREATE POLICY tenant ON organisations FOR SELECT TO broadgauge_service USING (id = current_organisation());
CREATE POLICY tenant ON tokens FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON panel_subscriptions FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON entitlements FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON custom_fields FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation());
CREATE POLICY tenant ON panels FOR SELECT TO broadgauge_service USING (
  owner_id = current_organisation() OR id IN (SELECT panel_id FROM panel_subscriptions)
);
CREATE POLICY tenant ON panel_kinds FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));
CREATE POLICY tenant ON agents FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));

-- The only way from a token's hash to an organisation. It runs as the owner of the schema, because before it no tenant
-- is known; it takes the whole hash, so it cannot be used to look around.
CREATE FUNCTION authenticate(token_sha256 bytea)
RETURNS TABLE (token_id integer, sha256 bytea, scopes text[], organisation_id integer, organisation_key text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT tokens.id, tokens.sha256, tokens.scopes, organisations.id, organisations.key
  FROM tokens JOIN organisations ON organisations.id = tokens.organisation_id
  WHERE tokens.sha256 = token_sha256
    AND tokens.revoked_at IS NULL
    AND (tokens.expires_at IS NULL OR tokens.expires_at > now());
END;

-- Remembers that tokens were used. Runs as the owner for the same reason; it can only move last_used_at forward.
CREATE FUNCTION note_token_use(token_ids integer[], used_at timestamptz) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE tokens SET last_used_at = used_at
  WHERE id = ANY (token_ids) AND (last_used_at IS NULL OR last_used_at < used_at);
END;

REVOKE ALL ON FUNCTION authenticate(bytea), note_token_use(integer[], timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authenticate(bytea), note_token_use(integer[], timestamptz) TO broadgauge_service;

GRANT SELECT ON organisations, panels, panel_subscriptions, entitlements, agents, panel_kinds, isps, packages,
  custom_fields TO broadgauge_service;
GRANT SELECT ON panels, agents, isps, packages, custom_fields TO broadgauge_dictionary;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO broadgauge_operator;
