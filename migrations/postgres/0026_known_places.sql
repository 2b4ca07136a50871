-- A place whose taking was given up for lost may have been taken all the same, later than it was given back. So a copy
-- renews the places it knows of; what else has its name ends with its lease. The former one is for copies of before.
CREATE FUNCTION renew_queries(own_copy uuid, lease interval, known uuid[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE running_queries SET leased_until = clock_timestamp() + lease WHERE copy = own_copy AND id = ANY (known);
  DELETE FROM running_queries WHERE leased_until < clock_timestamp() - interval '1 minute';
END;

REVOKE ALL ON FUNCTION renew_queries(uuid, interval, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION renew_queries(uuid, interval, uuid[]) TO broadgauge_service;
