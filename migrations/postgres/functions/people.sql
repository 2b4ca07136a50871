-- Users, their sessions, and the tokens that they manage. These functions run as the owner of the schema, because a user signs
-- in before the tenant is known.

-- Finds a user by name, and returns the hash that the password must be compared with.
CREATE OR REPLACE FUNCTION find_user(user_name text)
RETURNS TABLE (user_id integer, organisation_id integer, password_hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT users.id, users.organisation_id, users.password_hash FROM users
  WHERE lower(users.name COLLATE "C") = lower(user_name COLLATE "C") AND users.disabled_at IS NULL;
END;
REVOKE ALL ON FUNCTION find_user FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_user TO broadgauge_service, broadgauge_operator;

-- Finds the user that the identity provider of an organisation has authenticated. The provider can identify only users of that
-- organisation that the operator has assigned to it. The match is exact, because two names of one provider can differ only in
-- case. For e-mail addresses is_exact is false, and case is ignored.
CREATE OR REPLACE FUNCTION find_identity_user(provider_key text, organisation_key text, user_name text, is_exact boolean)
RETURNS TABLE (user_id integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT users.id FROM users JOIN organisations ON organisations.id = users.organisation_id
  WHERE lower(users.name COLLATE "C") = lower(user_name COLLATE "C") AND (users.name = user_name OR NOT is_exact)
    AND users.disabled_at IS NULL AND users.provider = provider_key AND organisations.key = organisation_key;
END;
REVOKE ALL ON FUNCTION find_identity_user FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_identity_user TO broadgauge_service;

CREATE OR REPLACE FUNCTION record_people_event(user_number integer, event_kind text, token integer, request text, client_address text)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  INSERT INTO people_events (organisation_id, user_id, kind, token_id, request_id, address)
  SELECT users.organisation_id, users.id, event_kind, token, request, client_address FROM users WHERE users.id = user_number;
END;
REVOKE ALL ON FUNCTION record_people_event FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_people_event TO broadgauge_service, broadgauge_operator;

-- Returns the scopes of a session's token.
CREATE OR REPLACE FUNCTION scopes_of_role(role text) RETURNS text[]
LANGUAGE sql IMMUTABLE
RETURN CASE role WHEN 'administrator' THEN ARRAY['data:read', 'metadata:read', 'metadata:write', 'questions:write']
                 WHEN 'analyst' THEN ARRAY['data:read', 'metadata:read', 'questions:write']
                 ELSE ARRAY['data:read', 'metadata:read'] END;
REVOKE ALL ON FUNCTION scopes_of_role FROM PUBLIC;
GRANT EXECUTE ON FUNCTION scopes_of_role TO broadgauge_operator;

-- Begins a session of a user who has just signed in. Returns null if the user was disabled or the password was replaced in the
-- meantime. `proven_hash` is null if the user did not sign in with a password.
--
-- A user has at most 20 live sessions. If there are more, the least recently used one ends. FOR NO KEY UPDATE makes the
-- sign-ins of a user run one after another, so that two concurrent ones cannot both find room. It also waits for a running
-- change of the password or role.
CREATE OR REPLACE FUNCTION begin_session(
  user_number integer, proven_hash text, secret_sha256 bytea, token_sha256 bytea, token_visible_part text,
  lifetime interval, token_lifetime interval, request text, client_address text
) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  person users%ROWTYPE;
  session integer;
  evicted integer;
BEGIN
  SELECT * INTO person FROM users
  WHERE id = user_number AND disabled_at IS NULL AND (proven_hash IS NULL OR password_hash = proven_hash) FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  INSERT INTO sessions (organisation_id, user_id, sha256, expires_at)
  VALUES (person.organisation_id, person.id, secret_sha256, now() + lifetime) RETURNING id INTO session;
  INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at, session_id, of_session, created_by)
  VALUES (person.organisation_id, 'console, ' || person.name, token_visible_part, token_sha256, scopes_of_role(person.role),
          now() + least(token_lifetime, lifetime), session, true, person.id);
  PERFORM record_people_event(person.id, 'signed-in', NULL, request, client_address);
  FOR evicted IN
    SELECT id FROM sessions
    WHERE user_id = person.id AND ended_at IS NULL AND expires_at > now() AND id <> session
    ORDER BY seen_at DESC, id DESC OFFSET 19
  LOOP
    PERFORM end_sessions(person.id, evicted, NULL);
    PERFORM record_people_event(person.id, 'session-evicted', (SELECT id FROM tokens WHERE session_id = evicted), request,
                              client_address);
  END LOOP;
  RETURN session;
END
$$;
REVOKE ALL ON FUNCTION begin_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_session TO broadgauge_service, broadgauge_operator;

-- Returns the session if it is valid, and restarts its idle timeout.
CREATE OR REPLACE FUNCTION read_session(secret_sha256 bytea, idle_max interval)
RETURNS TABLE (session_id integer, session_expires_at timestamptz, user_id integer, user_name text, user_role text,
  organisation_id integer, organisation_key text, organisation_name text)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE sessions SET seen_at = now()
  FROM users JOIN organisations ON organisations.id = users.organisation_id
  WHERE sessions.sha256 = secret_sha256 AND sessions.ended_at IS NULL AND sessions.expires_at > now()
    AND sessions.seen_at > now() - idle_max AND users.id = sessions.user_id AND users.disabled_at IS NULL
  RETURNING sessions.id, sessions.expires_at, users.id, users.name, users.role, organisations.id, organisations.key,
    organisations.name;
END;
REVOKE ALL ON FUNCTION read_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_session TO broadgauge_service, broadgauge_operator;

-- Extends the lifetime of a session's token, but not beyond the end of the session.
CREATE OR REPLACE FUNCTION renew_session_token(session integer, token_lifetime interval)
RETURNS TABLE (expires_at timestamptz, scopes text[])
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE tokens SET expires_at = least(now() + token_lifetime, sessions.expires_at) FROM sessions
  WHERE sessions.id = session AND tokens.session_id = sessions.id AND tokens.revoked_at IS NULL
    AND sessions.ended_at IS NULL
  RETURNING tokens.expires_at, tokens.scopes;
END;
REVOKE ALL ON FUNCTION renew_session_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION renew_session_token TO broadgauge_service, broadgauge_operator;

-- Ends one session of a user. If `ended` is null, ends all sessions except `kept`. The tokens of ended sessions are revoked.
CREATE OR REPLACE FUNCTION end_sessions(user_number integer, ended integer, kept integer) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE tokens SET revoked_at = now() FROM sessions
  WHERE tokens.session_id = sessions.id AND tokens.revoked_at IS NULL AND sessions.user_id = user_number
    AND (ended IS NULL OR sessions.id = ended) AND sessions.id IS DISTINCT FROM kept;
  UPDATE sessions SET ended_at = now()
  WHERE user_id = user_number AND ended_at IS NULL AND (ended IS NULL OR id = ended) AND id IS DISTINCT FROM kept;
END;
REVOKE ALL ON FUNCTION end_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_sessions TO broadgauge_service, broadgauge_operator;

-- Changes the user's own password, but only if `proven_hash` is the current hash. Ends every other session.
CREATE OR REPLACE FUNCTION change_password(user_number integer, session integer, proven_hash text, new_hash text, request text,
  client_address text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE users SET password_hash = new_hash
  WHERE id = user_number AND password_hash = proven_hash AND disabled_at IS NULL AND organisation_id = current_organisation();
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM end_sessions(user_number, NULL, session);
  PERFORM record_people_event(user_number, 'password-changed', NULL, request, client_address);
  RETURN true;
END
$$;
REVOKE ALL ON FUNCTION change_password FROM PUBLIC;
GRANT EXECUTE ON FUNCTION change_password TO broadgauge_service, broadgauge_operator;

-- Creates a token of the tenant for one of its administrators. An organisation can create up to 1,000 valid tokens; above
-- that, the function raises TK001. Operators can create more tokens, and these stay valid.
--
-- FOR SHARE is for a concurrent transaction that disables the user and revokes the tokens. Either that transaction waits for
-- this one and finds the new token, or this one waits and creates no token.
CREATE OR REPLACE FUNCTION create_own_token(user_number integer, token_label text, token_visible_part text, token_sha256 bytea,
  token_scopes text[], token_expires_at timestamptz, request text, client_address text) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
  -- Only one call per organisation runs at a time. Two concurrent calls could both create the last token.
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
  PERFORM record_people_event(user_number, 'token-created', token, request, client_address);
  RETURN token;
END
$$;
REVOKE ALL ON FUNCTION create_own_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_own_token TO broadgauge_service, broadgauge_operator;

-- Revokes a token. Returns true if the tenant has this token. A second call succeeds and does not change the revocation time.
CREATE OR REPLACE FUNCTION revoke_own_token(user_number integer, token integer, request text, client_address text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE tokens SET revoked_at = now() FROM users
  WHERE tokens.id = token AND NOT tokens.of_session AND tokens.revoked_at IS NULL
    AND tokens.organisation_id = current_organisation()
    AND users.id = user_number AND users.role = 'administrator' AND users.disabled_at IS NULL
    AND users.organisation_id = current_organisation();
  IF FOUND THEN
    PERFORM record_people_event(user_number, 'token-revoked', token, request, client_address);
    RETURN true;
  END IF;
  RETURN EXISTS (SELECT FROM tokens WHERE id = token AND NOT of_session AND organisation_id = current_organisation());
END
$$;
REVOKE ALL ON FUNCTION revoke_own_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION revoke_own_token TO broadgauge_service, broadgauge_operator;
