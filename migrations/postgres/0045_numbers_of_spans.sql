-- Numbers of spans are used once, and the engine's dictionary of spans takes memory by the largest: a billion, and it is no
-- longer loaded. A trial, which is undone, has numbers of its own, that come round again.
CREATE SEQUENCE trial_span_ids AS bigint INCREMENT BY -1 MINVALUE -4294967295 MAXVALUE -1 CYCLE;
ALTER TABLE spans ALTER COLUMN id SET DEFAULT
  CASE WHEN current_setting('broadgauge.trial', true) = 'on' THEN nextval('trial_span_ids') ELSE nextval('span_ids') END;

-- The last one that was given away; for the figures of an operator.
CREATE FUNCTION last_span_id() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT last_value FROM span_ids;
END;
REVOKE ALL ON FUNCTION last_span_id() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION last_span_id() TO broadgauge_service;
