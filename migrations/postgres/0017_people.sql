-- People who sign in to the console by name, their sessions, and what they did with tokens. A person belongs to one
-- organisation and sees what it sees: a session has a token of the organisation, short-lived and renewed, so that every
-- path to data goes on knowing tokens only.
CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  name text NOT NULL CHECK (name ~ '^[!-~]{1,254}$'),
  role text NOT NULL CHECK (role IN ('administrator', 'analyst')),
  -- With the function and its parameters; null: signs in otherwise.
  password_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz
);
-- Over all organisations: nobody is asked for theirs when signing in.
CREATE UNIQUE INDEX users_name ON users (lower(name COLLATE "C"));
CREATE INDEX users_organisation ON users (organisation_id);

CREATE TABLE sessions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  user_id integer NOT NULL REFERENCES users,
  -- Of the secret in the cookie, which is kept nowhere.
  sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id);

ALTER TABLE tokens
  -- The token of a session; nobody's to manage.
  ADD COLUMN session_id integer UNIQUE REFERENCES sessions,
  -- Null: an operator.
  ADD COLUMN created_by integer REFERENCES users;

-- Who did what. For the operator; no interface shows it.
CREATE TABLE people_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  happened_at timestamptz NOT NULL DEFAULT now(),
  organisation_id integer NOT NULL REFERENCES organisations,
  user_id integer NOT NULL REFERENCES users,
  kind text NOT NULL CHECK (kind IN ('created', 'password-issued', 'disabled', 'signed-in', 'refused', 'signed-out',
                                     'password-changed', 'token-created', 'token-revoked')),
  token_id integer REFERENCES tokens,
  -- Null: done at the command line.
  request_id text,
  address text
);
CREATE INDEX people_events_organisation ON people_events (organisation_id, happened_at);

DO $$
DECLARE
  people_table text;
BEGIN
  FOREACH people_table IN ARRAY ARRAY['users', 'sessions', 'people_events'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', people_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', people_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', people_table);
    EXECUTE format('CREATE POLICY tenant ON %I FOR SELECT TO broadgauge_service USING (organisation_id = current_organisation())',
                   people_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO broadgauge_operator', people_table);
  END LOOP;
END
$$;
-- What the page of tokens shows; never a hash.
GRANT SELECT (id, organisation_id, name) ON users TO broadgauge_service;
GRANT SELECT (id, organisation_id, label, visible_part, scopes, created_at, expires_at, revoked_at, last_used_at, session_id,
  created_by) ON tokens TO broadgauge_service;

-- Before anybody is known: whose name it is, and what to compare a password with.
CREATE FUNCTION find_user(user_name text)
RETURNS TABLE (user_id integer, organisation_id integer, password_hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  SELECT users.id, users.organisation_id, users.password_hash FROM users
  WHERE lower(users.name COLLATE "C") = lower(user_name COLLATE "C") AND users.disabled_at IS NULL;
END;

CREATE FUNCTION note_people_event(user_number integer, event_kind text, token integer, request text, client_address text)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  INSERT INTO people_events (organisation_id, user_id, kind, token_id, request_id, address)
  SELECT users.organisation_id, users.id, event_kind, token, request, client_address FROM users WHERE users.id = user_number;
END;

-- For a person who has just proved who they are. Nothing is begun when they were disabled, or their password replaced,
-- since: whoever does that waits for this row, or this waits for them. `proven_hash` null: not proved by a password.
CREATE FUNCTION begin_session(
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
  INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at, session_id, created_by)
  VALUES (person.organisation_id, 'console, ' || person.name, token_visible_part, token_sha256,
          CASE person.role WHEN 'administrator' THEN ARRAY['data:read', 'metadata:read', 'metadata:write']
                           ELSE ARRAY['data:read', 'metadata:read'] END,
          now() + least(token_lifetime, lifetime), session, person.id);
  PERFORM note_people_event(person.id, 'signed-in', NULL, request, client_address);
  RETURN session;
END
$$;

-- Whose session it is, as long as it lasts; asking keeps it from falling asleep.
CREATE FUNCTION read_session(secret_sha256 bytea, idle_max interval)
RETURNS TABLE (session_id integer, session_expires_at timestamptz, user_id integer, user_name text, user_role text,
  organisation_id integer, organisation_key text, organisation_name text)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE sessions SET seen_at = now()
  FROM users JOIN organisations ON organisations.id = users.organisation_id
  WHERE sessions.sha256 = secret_sha256 AND sessions.ended_at IS NULL AND sessions.expires_at > now()
    AND sessions.seen_at > now() - idle_max AND users.id = sessions.user_id AND users.disabled_at IS NULL
  RETURNING sessions.id, sessions.expires_at, users.id, users.name, users.role, organisations.id, organisations.key,
    organisations.name;
END;

-- The token of a session lasts a little longer, but no longer than the session.
CREATE FUNCTION renew_session_token(session integer, token_lifetime interval)
RETURNS TABLE (expires_at timestamptz, scopes text[])
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE tokens SET expires_at = least(now() + token_lifetime, sessions.expires_at) FROM sessions
  WHERE sessions.id = session AND tokens.session_id = sessions.id AND tokens.revoked_at IS NULL
    AND sessions.ended_at IS NULL
  RETURNING tokens.expires_at, tokens.scopes;
END;

-- Ends sessions of a person: one, or with null all but `kept`. Their tokens end with them.
CREATE FUNCTION end_sessions(user_number integer, ended integer, kept integer) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE tokens SET revoked_at = now() FROM sessions
  WHERE tokens.session_id = sessions.id AND tokens.revoked_at IS NULL AND sessions.user_id = user_number
    AND (ended IS NULL OR sessions.id = ended) AND sessions.id IS DISTINCT FROM kept;
  UPDATE sessions SET ended_at = now()
  WHERE user_id = user_number AND ended_at IS NULL AND (ended IS NULL OR id = ended) AND id IS DISTINCT FROM kept;
END;

-- The person's own: only from the password they had, and every other session ends.
CREATE FUNCTION change_password(user_number integer, session integer, proven_hash text, new_hash text, request text,
  client_address text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE users SET password_hash = new_hash
  WHERE id = user_number AND password_hash = proven_hash AND disabled_at IS NULL AND organisation_id = current_organisation();
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM end_sessions(user_number, NULL, session);
  PERFORM note_people_event(user_number, 'password-changed', NULL, request, client_address);
  RETURN true;
END
$$;

-- Tokens of the organisation of the transaction, by one of its administrators.
CREATE FUNCTION create_own_token(user_number integer, token_label text, token_visible_part text, token_sha256 bytea,
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
  RETURNING id INTO token;
  IF token IS NOT NULL THEN
    PERFORM note_people_event(user_number, 'token-created', token, request, client_address);
  END IF;
  RETURN token;
END
$$;

-- Whether there is such a token. Revoking twice is no error; the first time stays.
CREATE FUNCTION revoke_own_token(user_number integer, token integer, request text, client_address text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE tokens SET revoked_at = now() FROM users
  WHERE tokens.id = token AND tokens.session_id IS NULL AND tokens.revoked_at IS NULL
    AND tokens.organisation_id = current_organisation()
    AND users.id = user_number AND users.role = 'administrator' AND users.disabled_at IS NULL
    AND users.organisation_id = current_organisation();
  IF FOUND THEN
    PERFORM note_people_event(user_number, 'token-revoked', token, request, client_address);
    RETURN true;
  END IF;
  RETURN EXISTS (SELECT FROM tokens WHERE id = token AND session_id IS NULL AND organisation_id = current_organisation());
END
$$;

-- Attempts to sign in, out of a bucket of the name and one of the address. An attempt is paid for before the password is
-- looked at, so that many at once cannot slip through, and given back when it was right. Always the name first: two that
-- wait for one another would wait for ever.
ALTER TABLE limit_buckets DROP CONSTRAINT limit_buckets_kind_check;
ALTER TABLE limit_buckets ADD CONSTRAINT limit_buckets_kind_check
  CHECK (kind IN ('requests', 'engine-ms', 'sign-in-name', 'sign-in-address'));

CREATE FUNCTION take_sign_in(account text, client_address text, account_max double precision, address_max double precision,
  refill interval) RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  seconds double precision := extract(epoch FROM refill);
  of_account double precision := fill_bucket('sign-in-name', account, account_max, account_max / seconds);
  of_address double precision := fill_bucket('sign-in-address', client_address, address_max, address_max / seconds);
BEGIN
  IF of_account >= 1 AND of_address >= 1 THEN
    UPDATE limit_buckets SET balance = balance - 1
    WHERE (kind = 'sign-in-name' AND subject = account) OR (kind = 'sign-in-address' AND subject = client_address);
    RETURN 0;
  END IF;
  RETURN 1000 * seconds * greatest((1 - of_account) / account_max, (1 - of_address) / address_max);
END
$$;

CREATE FUNCTION give_back_sign_in(account text, client_address text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE limit_buckets SET balance = balance + 1 WHERE kind = 'sign-in-name' AND subject = account;
  UPDATE limit_buckets SET balance = balance + 1 WHERE kind = 'sign-in-address' AND subject = client_address;
END;

-- A bucket nobody has taken from for so long is full, and as good as none.
CREATE FUNCTION purge_sign_ins(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM limit_buckets WHERE kind IN ('sign-in-name', 'sign-in-address') AND filled_at < now() - older_than;
END;

DO $$
DECLARE
  signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY[
    'find_user(text)',
    'begin_session(integer, text, bytea, bytea, text, interval, interval, text, text)',
    'read_session(bytea, interval)',
    'renew_session_token(integer, interval)',
    'end_sessions(integer, integer, integer)',
    'note_people_event(integer, text, integer, text, text)',
    'change_password(integer, integer, text, text, text, text)',
    'create_own_token(integer, text, text, bytea, text[], timestamptz, text, text)',
    'revoke_own_token(integer, integer, text, text)',
    'take_sign_in(text, text, double precision, double precision, interval)',
    'give_back_sign_in(text, text)',
    'purge_sign_ins(interval)'
  ] LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO broadgauge_service, broadgauge_operator', signature);
  END LOOP;
END
$$;

-- Agents by the first letters of an id or a MAC address.
CREATE INDEX agents_agent_prefix ON agents (agent_key text_pattern_ops);
CREATE INDEX agents_mac_prefix ON agents (mac_key text_pattern_ops);
