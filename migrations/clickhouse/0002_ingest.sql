-- Rows of a batch that is sent again. They are validated when they are staged, and then compared with the stored rows. They
-- exist only on the node that processes the batch. After the comparison, nothing reads them.
CREATE TABLE IF NOT EXISTS {{database}}.staged_results (
  attempt String COMMENT 'Names the batch and the attempt at it.',
  row UInt64 COMMENT 'Number of the row in the batch, the first being 1.',
  raw String COMMENT 'The row as it was sent.',
  reason LowCardinality(String) COMMENT 'Why it cannot be stored, empty when it can.',
  column String COMMENT 'The column that is at fault.',
  panel UInt32,
  agent UInt32,
  at DateTime64(3, 'UTC'),
  cells Array(String) COMMENT 'Agent, time and the columns of the test, in the order of the catalogue.',
  staged_at DateTime DEFAULT now()
)
ENGINE = MergeTree
PARTITION BY toDate(staged_at)
ORDER BY (attempt, row)
TTL staged_at + INTERVAL 1 DAY
SETTINGS ttl_only_drop_parts = 1;

-- Rows that `broadgauge results duplicates --fix` will remove. The command finds all of them before it removes the first, so
-- that the result does not depend on rows that are already removed. Each node has its own rows.
CREATE TABLE IF NOT EXISTS {{database}}.surplus_rows (
  run String COMMENT 'Names the run that found the row, and the table it is in.',
  part String COMMENT 'The part of the table that holds it.',
  place UInt64 COMMENT 'Its place in that part.',
  found_at DateTime DEFAULT now()
)
ENGINE = MergeTree
PARTITION BY toDate(found_at)
ORDER BY (run, part, place)
TTL found_at + INTERVAL 1 DAY
SETTINGS ttl_only_drop_parts = 1;
