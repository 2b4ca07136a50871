-- FOR SHARE: whoever disables a person and ends their tokens waits for a token that is being made, and finds it; or it waits,
-- and is not made. As begin_session.
CREATE OR REPLACE FUNCTION create_own_token(user_number integer, token_label text, token_visible_part text, token_sha256 bytea,
  token_scopes text[], token_expires_at timestamptz, request text, client_address text) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  token integer;
BEGIN
  INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at, created_by)
  SELECT users.organisation_id, token_label, token_visible_part, token_sha256, token_scopes, token_expires_at, users.id
  FROM users
  WHERE users.id = user_number AND users.role = 'administrator' AND users.disabled_at IS NULL
    AND users.organisation_id = current_organisation()
  FOR SHARE
  RETURNING id INTO token;
  IF token IS NOT NULL THEN
    PERFORM note_people_event(user_number, 'token-created', token, request, client_address);
  END IF;
  RETURN token;
END
$$;
