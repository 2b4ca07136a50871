-- As the one with three arguments, which older copies of the service call. Two people of one provider may have names that
-- differ in their letters' case alone, but for addresses of mail: there the operator's spelling is as good as theirs.
CREATE FUNCTION find_vouched_user(provider_key text, organisation_key text, user_name text, is_exact boolean)
RETURNS TABLE (user_id integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT users.id FROM users JOIN organisations ON organisations.id = users.organisation_id
  WHERE lower(users.name COLLATE "C") = lower(user_name COLLATE "C") AND (users.name = user_name OR NOT is_exact)
    AND users.disabled_at IS NULL AND users.provider = provider_key AND organisations.key = organisation_key;
END;
REVOKE ALL ON FUNCTION find_vouched_user(text, text, text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_vouched_user(text, text, text, boolean) TO broadgauge_service;
