CREATE TABLE panels (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name text NOT NULL CHECK (name <> ''),
  -- The only organisation that may change the agents' metadata, ingest results and define custom fields.
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

CREATE TABLE agents (
  -- Number of the agent, also in every fact row (UInt32 in ClickHouse).
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  panel_id integer NOT NULL REFERENCES panels,
  kind text NOT NULL CHECK (kind IN ('whitebox', 'cpe', 'mobile', 'web')),
  agent_id text NOT NULL CHECK (agent_id ~ '^[ -~]{1,128}$'),
  agent_key text NOT NULL GENERATED ALWAYS AS (identifier_key(agent_id)) STORED UNIQUE CHECK (agent_key <> ''),
  -- Unit number. The maximum is 2^53 - 1, because JSON integers are exact up to there. Mobile and web agents may have no unit.
  unit_id bigint UNIQUE CHECK (unit_id BETWEEN 0 AND 9007199254740991),
  mac_address text CHECK (mac_address ~ '^[ -~]{1,64}$'),
  mac_key text GENERATED ALWAYS AS (identifier_key(mac_address)) STORED UNIQUE CHECK (mac_key <> ''),
  base text CHECK (base <> ''),
  country text CHECK (country <> ''),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (kind IN ('mobile', 'web') OR unit_id IS NOT NULL)
);
-- A search by prefix reads one panel at a time. With an index without the panel, it would first read the agents of all other
-- panels.
CREATE INDEX agents_panel_key ON agents (panel_id, agent_key COLLATE "C");
CREATE INDEX agents_panel_mac ON agents (panel_id, mac_key COLLATE "C") WHERE mac_key IS NOT NULL;
CREATE INDEX agents_panel_unit ON agents (panel_id, unit_id);

CREATE TABLE isps (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- No colons in the name: the service splits '<isp>:<package>' at the first colon.
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

-- Names of the custom fields of each organisation.
CREATE TABLE custom_fields (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  -- The service checks which characters are letters. A check in PostgreSQL would depend on the locale of the server.
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organisation_id, key)
);

-- The next three tables record which kinds, custom fields and values the agents of a panel have had. Without these tables, the
-- service would have to read up to ten million agents for a list. Rows are only added and never removed: results of an agent
-- that has left, or from before a change, can still be queried.
CREATE TABLE panel_kinds (
  panel_id integer NOT NULL REFERENCES panels,
  kind text NOT NULL,
  PRIMARY KEY (panel_id, kind)
);

-- The custom fields that callers can filter by if they can read the panel. Other fields of the owner stay hidden.
CREATE TABLE panel_custom_fields (
  panel_id integer NOT NULL REFERENCES panels,
  field_id integer NOT NULL REFERENCES custom_fields,
  PRIMARY KEY (panel_id, field_id)
);

-- The values that filters accept: models, countries, ISPs, packages and custom values. The console reads this table at every
-- keystroke.
CREATE TABLE panel_values (
  panel_id integer NOT NULL REFERENCES panels,
  -- 'country', 'base', 'isp', 'package', or 'custom.' and the number of the field.
  subject text COLLATE "C" NOT NULL,
  -- The value in lower case, for searches.
  folded text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (panel_id, subject, folded, value)
);

CREATE TRIGGER agents_inserted AFTER INSERT ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION record_panel_kinds();
CREATE TRIGGER agents_updated AFTER UPDATE ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION record_panel_kinds();
CREATE TRIGGER agents_inserted_values AFTER INSERT ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION record_values_of_agents();
CREATE TRIGGER agents_updated_values AFTER UPDATE ON agents
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION record_values_of_agents();

-- A person can request that all data about their agent is erased. One transaction erases the agent from this database. Until
-- the data is also gone from the other stores, a row in this table contains what to search for there. So an interrupted
-- erasure can resume.
CREATE TABLE erasures (
  -- Number of the agent in every fact row. It is never given to another agent.
  agent_number integer PRIMARY KEY,
  panel_id integer NOT NULL REFERENCES panels,
  -- Null when the erasure has finished.
  agent_id text,
  unit_id bigint,
  begun_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
