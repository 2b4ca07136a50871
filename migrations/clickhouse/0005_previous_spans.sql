-- The timelines with the span before the current one beside it: see the file of the same name for PostgreSQL.
CREATE OR REPLACE DICTIONARY {{database}}.timeline (
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

CREATE OR REPLACE DICTIONARY {{database}}.timeline_recent (
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
