-- What people of one organisation can make grow. Tokens: a thousand that work, and no more by their own making. Who has more
-- keeps them, and operators may make more.

-- To count those that work, and to list the newest of those that people manage.
CREATE INDEX tokens_standing ON tokens (organisation_id, coalesce(expires_at, 'infinity'::timestamptz))
  WHERE NOT of_session AND revoked_at IS NULL;
CREATE INDEX tokens_managed ON tokens (organisation_id, id) WHERE NOT of_session;

-- One too many raises TK001: a version from before fails with it, and takes no number for a token.
-- FOR SHARE: whoever disables a person and ends their tokens waits for a token that is being made, and finds it; or it waits,
-- and is not made. As begin_session.
CREATE OR REPLACE FUNCTION create_own_token(user_number integer, token_label text, token_visible_part text, token_sha256 bytea,
  token_scopes text[], token_expires_at timestamptz, request text, client_address text) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  tenant integer := current_organisation();
  token integer;
BEGIN
  PERFORM FROM users
  WHERE users.id = user_number AND users.role = 'administrator' AND users.disabled_at IS NULL
    AND users.organisation_id = tenant
  FOR SHARE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  -- Those of an organisation one after the other, or several would each be the last that fits.
  PERFORM pg_advisory_xact_lock(7041933, tenant);
  IF (
    SELECT count(*) FROM tokens
    WHERE organisation_id = tenant AND NOT of_session AND revoked_at IS NULL
      AND coalesce(expires_at, 'infinity'::timestamptz) > now()
  ) >= 1000 THEN
    RAISE EXCEPTION 'as many tokens of the organisation work as may' USING ERRCODE = 'TK001';
  END IF;
  INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at, created_by)
  VALUES (tenant, token_label, token_visible_part, token_sha256, token_scopes, token_expires_at, user_number)
  RETURNING id INTO token;
  PERFORM note_people_event(user_number, 'token-created', token, request, client_address);
  RETURN token;
END
$$;

-- Counts of calls of long ago, at most `rows_max`; answers how many, so that fewer than that is the end.
CREATE INDEX api_calls_day ON api_calls (day);
CREATE FUNCTION purge_api_calls(older_than interval, rows_max integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  purged bigint;
BEGIN
  DELETE FROM api_calls WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM api_calls WHERE day < ((now() - older_than) AT TIME ZONE 'UTC')::date ORDER BY day LIMIT rows_max));
  GET DIAGNOSTICS purged = ROW_COUNT;
  RETURN purged;
END
$$;

-- Buckets of tokens that nobody has taken from for so long: they are full, and as good as none. One that is overdrawn may
-- have to wait for longer than that, and stays thirty times as long. No index: every request would have to keep it.
CREATE FUNCTION purge_token_buckets(older_than interval, rows_max integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  purged bigint;
BEGIN
  DELETE FROM limit_buckets WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM limit_buckets
    WHERE kind IN ('requests', 'engine-ms') AND subject LIKE 't%'
      AND filled_at < now() - CASE WHEN balance < 0 THEN 30 ELSE 1 END * older_than
    LIMIT rows_max));
  GET DIAGNOSTICS purged = ROW_COUNT;
  RETURN purged;
END
$$;

REVOKE ALL ON FUNCTION purge_api_calls(interval, integer), purge_token_buckets(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_api_calls(interval, integer), purge_token_buckets(interval, integer) TO broadgauge_service;
