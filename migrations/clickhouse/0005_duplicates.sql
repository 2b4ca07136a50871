-- Which rows `broadgauge results duplicates --fix` is about to remove: found once, so that what is removed does not depend on
-- what has been removed before. On each node for its own rows.
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
