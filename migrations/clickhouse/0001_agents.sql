-- A fact row carries only the agent's number; this tells who that is. Filled from PostgreSQL by a read-only role, its
-- address and password from the server's named collection, so that no secret stands in SQL. Reloads are asked for.
-- DATABASE, not DB: the engine ignores DB without a word when the collection names a database itself.
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
-- A flat array is the fastest look-up and agent numbers are dense; 100 million is ten times the largest panel planned for.
LAYOUT(FLAT(INITIAL_ARRAY_SIZE 65536 MAX_ARRAY_SIZE 100000000))
LIFETIME(0);
