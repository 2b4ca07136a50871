-- Rows of the audit trail on their way into ClickHouse. A query's row is here, and so on disk, before its answer is
-- complete; a copy of the service moves what has gathered, once a second. Written and read by functions only.
CREATE TABLE audit_queue (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- One line of JSON, as the engine takes it.
  line text NOT NULL,
  queued_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE audit_queue ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_queue FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON audit_queue TO broadgauge_operator USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_queue TO broadgauge_operator;

CREATE FUNCTION queue_audit_lines(lines text[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  INSERT INTO audit_queue (line) SELECT unnest(lines);
END;

-- How long the oldest one has waited; null when there is none.
CREATE FUNCTION audit_queue_age_ms() RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT 1000 * extract(epoch FROM now() - queued_at)::double precision FROM audit_queue ORDER BY id LIMIT 1;
END;

CREATE FUNCTION find_audit_lines(lines_max integer, characters_max bigint) RETURNS TABLE (id bigint, line text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT first.id, first.line
  FROM (SELECT q.id, q.line, sum(length(q.line)) OVER (ORDER BY q.id) - length(q.line) AS before
        FROM audit_queue q ORDER BY q.id LIMIT lines_max) first
  WHERE first.before < characters_max
  ORDER BY first.id;
END;

CREATE FUNCTION forget_audit_lines(ids bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM audit_queue WHERE id = ANY (ids);
END;

REVOKE ALL ON FUNCTION queue_audit_lines(text[]), audit_queue_age_ms(), find_audit_lines(integer, bigint),
  forget_audit_lines(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_audit_lines(text[]), audit_queue_age_ms(), find_audit_lines(integer, bigint),
  forget_audit_lines(bigint[]) TO broadgauge_service, broadgauge_operator;
