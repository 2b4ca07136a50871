-- How many exports there are in each state, of all organisations; for the figures of an operator.
CREATE FUNCTION count_exports() RETURNS TABLE (status text, exports bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT e.status, count(*) FROM exports e WHERE e.status IN ('queued', 'running') GROUP BY e.status;
END;

REVOKE ALL ON FUNCTION count_exports() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_exports() TO broadgauge_service;
