-- Sessions that have long been over go, and so does what people did years ago. The token of a session stays: changes of
-- metadata, counts of calls and the audit trail name it, and it names the person. It must not pass for a token of the
-- organisation when its session is gone.
ALTER TABLE tokens
  ADD COLUMN of_session boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT tokens_session_id_fkey,
  ADD CONSTRAINT tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions ON DELETE SET NULL;
UPDATE tokens SET of_session = true WHERE session_id IS NOT NULL;
ALTER TABLE tokens ADD CONSTRAINT tokens_of_session CHECK (of_session OR session_id IS NULL);
GRANT SELECT (of_session) ON tokens TO broadgauge_service;
-- When a person last signed in is asked of these.
CREATE INDEX tokens_of_person ON tokens (created_by, created_at) WHERE of_session;
CREATE INDEX people_events_age ON people_events (happened_at);

-- What a session's token may do.
CREATE FUNCTION scopes_of_role(role text) RETURNS text[]
LANGUAGE sql IMMUTABLE
RETURN CASE role WHEN 'administrator' THEN ARRAY['data:read', 'metadata:read', 'metadata:write']
                 ELSE ARRAY['data:read', 'metadata:read'] END;
REVOKE ALL ON FUNCTION scopes_of_role(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION scopes_of_role(text) TO broadgauge_operator;

CREATE OR REPLACE FUNCTION begin_session(
  user_number integer, proven_hash text, secret_sha256 bytea, token_sha256 bytea, token_visible_part text,
  lifetime interval, token_lifetime interval, request text, client_address text
) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  person users%ROWTYPE;
  session integer;
BEGIN
  SELECT * INTO person FROM users
  WHERE id = user_number AND disabled_at IS NULL AND (proven_hash IS NULL OR password_hash = proven_hash) FOR SHARE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  INSERT INTO sessions (organisation_id, user_id, sha256, expires_at)
  VALUES (person.organisation_id, person.id, secret_sha256, now() + lifetime) RETURNING id INTO session;
  INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at, session_id, of_session, created_by)
  VALUES (person.organisation_id, 'console, ' || person.name, token_visible_part, token_sha256, scopes_of_role(person.role),
          now() + least(token_lifetime, lifetime), session, true, person.id);
  PERFORM note_people_event(person.id, 'signed-in', NULL, request, client_address);
  RETURN session;
END
$$;

CREATE OR REPLACE FUNCTION revoke_own_token(user_number integer, token integer, request text, client_address text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE tokens SET revoked_at = now() FROM users
  WHERE tokens.id = token AND NOT tokens.of_session AND tokens.revoked_at IS NULL
    AND tokens.organisation_id = current_organisation()
    AND users.id = user_number AND users.role = 'administrator' AND users.disabled_at IS NULL
    AND users.organisation_id = current_organisation();
  IF FOUND THEN
    PERFORM note_people_event(user_number, 'token-revoked', token, request, client_address);
    RETURN true;
  END IF;
  RETURN EXISTS (SELECT FROM tokens WHERE id = token AND NOT of_session AND organisation_id = current_organisation());
END
$$;

-- Over since then: ended, or past its hours, whichever came first. Its token has ended before it.
CREATE FUNCTION purge_sessions(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM sessions WHERE least(ended_at, expires_at) < now() - older_than;
END;

CREATE FUNCTION purge_people_events(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM people_events WHERE happened_at < now() - older_than;
END;

REVOKE ALL ON FUNCTION purge_sessions(interval), purge_people_events(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_sessions(interval), purge_people_events(interval) TO broadgauge_service;
