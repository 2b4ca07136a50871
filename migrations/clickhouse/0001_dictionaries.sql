-- ClickHouse fills the dictionaries from PostgreSQL, with a read-only role. A named collection of the server has the address
-- and the password, so that no SQL contains a secret. LIFETIME is 0: ClickHouse never reloads a dictionary by itself, and the
-- service requests the reloads.
--
-- The option is DATABASE and not DB, because ClickHouse silently ignores DB if the collection contains a database.

-- The agents, by number. A fact row contains only the number of its agent.
CREATE DICTIONARY IF NOT EXISTS {{database}}.agents (
  id UInt32,
  panel_id UInt32,
  kind String,
  agent_id String,
  unit_id Nullable(Int64),
  base Nullable(String),
  country Nullable(String)
)
PRIMARY KEY id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'agents'))
-- A flat array is the fastest lookup, and agent numbers have few gaps. 100 million is ten times the largest planned panel.
LAYOUT(FLAT(INITIAL_ARRAY_SIZE 65536 MAX_ARRAY_SIZE 100000000))
LIFETIME(0);

-- Finds the agent of an ingested result, by the agent id without punctuation and case. Reloaded together with `agents`.
CREATE DICTIONARY IF NOT EXISTS {{database}}.agents_by_key (
  agent_key String,
  id UInt32,
  panel_id UInt32
)
PRIMARY KEY agent_key
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'agents'))
LAYOUT(COMPLEX_KEY_HASHED())
LIFETIME(0);

-- The metadata timelines of the agents. A query finds the span of an agent on a day in `timeline`, and the content of the span
-- in `spans` and `custom_values`. Each of these dictionaries has a small twin, `…_recent`. The twin contains the agents that
-- have changed after the last reload of the large dictionary, and reloads in milliseconds.
--
-- The columns for the current and the previous span let a query find the span of a recent result without searching the arrays.
CREATE DICTIONARY IF NOT EXISTS {{database}}.timeline (
  agent_id UInt32,
  current_from Date,
  current_span UInt32,
  previous_from Date,
  previous_span UInt32,
  days Array(Date),
  span_ids Array(UInt32)
)
PRIMARY KEY agent_id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'dictionary_timeline'))
LAYOUT(FLAT(INITIAL_ARRAY_SIZE 65536 MAX_ARRAY_SIZE 100000000))
LIFETIME(0);

CREATE DICTIONARY IF NOT EXISTS {{database}}.timeline_recent (
  agent_id UInt32,
  current_from Date,
  current_span UInt32,
  previous_from Date,
  previous_span UInt32,
  days Array(Date),
  span_ids Array(UInt32)
)
PRIMARY KEY agent_id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'dictionary_timeline_recent'))
LAYOUT(HASHED())
LIFETIME(0);

CREATE DICTIONARY IF NOT EXISTS {{database}}.spans (
  id UInt64,
  isp_id UInt32,
  package_id UInt32,
  zone_id UInt16
)
PRIMARY KEY id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'dictionary_spans'))
LAYOUT(FLAT(INITIAL_ARRAY_SIZE 65536 MAX_ARRAY_SIZE 1000000000))
LIFETIME(0);

CREATE DICTIONARY IF NOT EXISTS {{database}}.spans_recent (
  id UInt64,
  isp_id UInt32,
  package_id UInt32,
  zone_id UInt16
)
PRIMARY KEY id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'dictionary_spans_recent'))
LAYOUT(HASHED())
LIFETIME(0);

-- The key is (number of the field << 32 | number of the span).
CREATE DICTIONARY IF NOT EXISTS {{database}}.custom_values (
  key UInt64,
  value Nullable(String)
)
PRIMARY KEY key
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'dictionary_custom_values'))
LAYOUT(HASHED())
LIFETIME(0);

CREATE DICTIONARY IF NOT EXISTS {{database}}.custom_values_recent (
  key UInt64,
  value Nullable(String)
)
PRIMARY KEY key
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'dictionary_custom_values_recent'))
LAYOUT(HASHED())
LIFETIME(0);

-- Names for responses. Inside queries only the numbers are used.
CREATE DICTIONARY IF NOT EXISTS {{database}}.isps (
  id UInt32,
  name String
)
PRIMARY KEY id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'isps'))
LAYOUT(FLAT(MAX_ARRAY_SIZE 10000000))
LIFETIME(0);

CREATE DICTIONARY IF NOT EXISTS {{database}}.packages (
  id UInt32,
  isp_id UInt32,
  name String
)
PRIMARY KEY id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'packages'))
LAYOUT(FLAT(MAX_ARRAY_SIZE 10000000))
LIFETIME(0);

CREATE DICTIONARY IF NOT EXISTS {{database}}.zones (
  id UInt32,
  name String
)
PRIMARY KEY id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'zones'))
LAYOUT(FLAT())
LIFETIME(0);
