-- People may sign in by their organisation's own sign-in instead of a password: then they have no password here.
ALTER TABLE users ADD COLUMN provider text;
ALTER TABLE users ADD CONSTRAINT users_one_way CHECK (provider IS NULL OR password_hash IS NULL);

-- Somebody a provider of an organisation vouches for. It vouches for people of that organisation only, and only for those
-- the operator has said sign in by it.
CREATE FUNCTION find_vouched_user(provider_key text, organisation_key text, user_name text) RETURNS TABLE (user_id integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT users.id FROM users JOIN organisations ON organisations.id = users.organisation_id
  WHERE lower(users.name COLLATE "C") = lower(user_name COLLATE "C") AND users.disabled_at IS NULL
    AND users.provider = provider_key AND organisations.key = organisation_key;
END;
REVOKE ALL ON FUNCTION find_vouched_user(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_vouched_user(text, text, text) TO broadgauge_service;
