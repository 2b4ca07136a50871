-- Ends when enough is found. All that wait were measured before, however few were asked for: thousands of long ones took
-- longer than anybody waits for the answer, and none was moved any more.
CREATE OR REPLACE FUNCTION find_audit_lines(lines_max integer, characters_max bigint)
RETURNS TABLE (id bigint, line text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  characters bigint := 0;
BEGIN
  FOR id, line IN SELECT q.id, q.line FROM audit_queue q ORDER BY q.id LIMIT lines_max LOOP
    RETURN NEXT;
    characters := characters + length(line);
    EXIT WHEN characters >= characters_max;
  END LOOP;
END
$$;
