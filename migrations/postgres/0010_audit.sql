-- The audit trail: one append-only table, partitioned by month. The service writes one record for a query before its response
-- is complete. Later records with the same id and time, but without an endpoint, add the outcome.
CREATE TABLE audit_records (
  asked_at timestamptz NOT NULL,
  id uuid NOT NULL,
  -- No foreign keys, because records are kept longer than the rows that they refer to.
  organisation integer,
  token integer,
  endpoint text,
  request_id text,
  trace_id text,
  -- The request body as JSON. Anything that looks like a secret is removed.
  body text,
  panels integer[],
  range_clock text,
  range_from text,
  range_to text,
  finished_at timestamptz,
  status smallint,
  complete boolean,
  rows bigint,
  bytes bigint,
  engine_ms double precision
) PARTITION BY RANGE (asked_at);
CREATE INDEX audit_records_time ON audit_records (asked_at);
CREATE INDEX audit_records_organisation ON audit_records (organisation, asked_at) WHERE endpoint IS NOT NULL;

-- The audit trail with one row per query: the record together with its outcome.
CREATE VIEW audited_queries WITH (security_invoker = true) AS
SELECT question.asked_at, question.id, question.organisation, question.token, question.endpoint, question.request_id,
  question.trace_id, question.body, question.panels, question.range_clock, question.range_from, question.range_to, outcome.*
FROM audit_records AS question
CROSS JOIN LATERAL (
  SELECT max(finished_at) AS finished_at, max(status) AS status, bool_and(complete) AS complete, max(rows) AS rows,
    max(bytes) AS bytes, max(engine_ms) AS engine_ms
  FROM audit_records AS later
  WHERE later.asked_at = question.asked_at AND later.id = question.id AND later.endpoint IS NULL
) AS outcome
WHERE question.endpoint IS NOT NULL;

-- The number of calls per token, endpoint, day and status. Only operators read it: neither the API nor the console shows it.
CREATE TABLE api_calls (
  organisation_id integer NOT NULL REFERENCES organisations,
  token_id integer NOT NULL REFERENCES tokens,
  endpoint text NOT NULL,
  status smallint NOT NULL,
  day date NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (organisation_id, token_id, endpoint, status, day)
);
CREATE INDEX api_calls_day ON api_calls (day);

-- An instance that gets no response to its counts cannot know whether they were added, so it sends them again with the same
-- number. This table has the last number of each instance. An instance sends the next number only after it has received a
-- response.
CREATE TABLE recorded_calls (
  -- The instance of the service.
  instance uuid PRIMARY KEY,
  number bigint NOT NULL,
  recorded_at timestamptz NOT NULL
)
-- Rows are updated very often. Free space on each page lets an updated row stay on its page.
WITH (fillfactor = 50);
