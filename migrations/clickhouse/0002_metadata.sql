-- The agents' metadata timeline, filled from PostgreSQL. A query asks `timeline` which span of an agent was in force, and
-- `spans` and `custom_values` what it says. Each has a small twin, `…_recent`, asked first: it holds the agents changed
-- since the large one was loaded, and reloads in milliseconds.
CREATE DICTIONARY IF NOT EXISTS {{database}}.timeline (
  agent_id UInt32,
  current_from Date,
  current_span UInt32,
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

-- Key: number of the field << 32 | number of the span.
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

-- Names, for answers; numbers are what is computed with.
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
