-- Who an agent is that a result names: by its id without punctuation and case. Filled like `agents`, and reloaded with it.
CREATE DICTIONARY IF NOT EXISTS {{database}}.agents_by_key (
  agent_key String,
  id UInt32,
  panel_id UInt32
)
PRIMARY KEY agent_key
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'agents'))
LAYOUT(COMPLEX_KEY_HASHED())
LIFETIME(0);

-- Rows of a batch that is sent again, while they are compared with what is stored. On the node that does the work
-- only, and nobody reads them afterwards.
CREATE TABLE IF NOT EXISTS {{database}}.staged_results (
  attempt String COMMENT 'Names the batch and the attempt at it.',
  row UInt64 COMMENT 'Number of the row in the batch, the first being 1.',
  raw String COMMENT 'The row as it was sent.',
  malformed UInt8 COMMENT 'Whether the row cannot be read at all.',
  unexpected Nullable(String) COMMENT 'Name of a column the test does not have.',
  nested String COMMENT 'Name of a column whose value is an object or a list.',
  cells Array(String) COMMENT 'Agent, time and the columns of the test, in the order of the catalogue.',
  agent UInt32 COMMENT 'Number of the agent, 0 when it is not known.',
  panel UInt32 COMMENT 'Number of its panel.',
  staged_at DateTime DEFAULT now()
)
ENGINE = MergeTree
PARTITION BY toDate(staged_at)
ORDER BY (attempt, row)
TTL staged_at + INTERVAL 1 DAY
SETTINGS ttl_only_drop_parts = 1;
