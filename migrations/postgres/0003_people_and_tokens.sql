-- Users sign in to the console by name. A user belongs to one organisation and can read what the organisation can read: each
-- session has a short-lived API token of the organisation, which the console renews. Therefore all code that reads data only
-- needs to check tokens.
CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  name text NOT NULL CHECK (name ~ '^[!-~]{1,254}$'),
  role text NOT NULL CHECK (role IN ('administrator', 'analyst')),
  -- Includes the hash function and its parameters. Null if the user does not sign in with a password.
  password_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz,
  -- Key of the identity provider that the user signs in with.
  provider text,
  -- The account page shows whether the user has a password. The service may not read the hash.
  has_password boolean NOT NULL GENERATED ALWAYS AS (password_hash IS NOT NULL) STORED,
  CONSTRAINT users_one_sign_in CHECK (provider IS NULL OR password_hash IS NULL)
);
-- User names are unique over all organisations, because the sign-in form does not ask for the organisation.
CREATE UNIQUE INDEX users_name ON users (lower(name COLLATE "C"));
CREATE INDEX users_organisation ON users (organisation_id);

CREATE TABLE sessions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  user_id integer NOT NULL REFERENCES users,
  -- Hash of the secret in the cookie. The secret itself is stored nowhere.
  sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE tokens (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  label text NOT NULL,
  visible_part text NOT NULL,
  sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
  scopes text[] NOT NULL CHECK (
    cardinality(scopes) > 0
    AND scopes <@ ARRAY['data:read', 'metadata:read', 'metadata:write', 'ingest:write']
  ),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- The session that the token belongs to. Administrators do not see or manage the tokens of sessions.
  session_id integer UNIQUE REFERENCES sessions ON DELETE SET NULL,
  -- The user who created the token. Null if an operator created it.
  created_by integer REFERENCES users,
  -- True for the token of a session, also after the session is purged. The purge does not delete the token, because metadata
  -- changes, call counts and the audit trail refer to it, and it refers to the user. After the purge, only this column
  -- distinguishes it from a token that an administrator has created.
  of_session boolean NOT NULL DEFAULT false,
  CONSTRAINT tokens_of_session CHECK (of_session OR session_id IS NULL)
);
CREATE INDEX tokens_organisation ON tokens (organisation_id);
-- Finds the time of a user's last sign-in.
CREATE INDEX tokens_of_person ON tokens (created_by, created_at) WHERE of_session;
-- Counts the valid tokens of an organisation, and lists the newest ones that its administrators manage.
CREATE INDEX tokens_standing ON tokens (organisation_id, coalesce(expires_at, 'infinity'::timestamptz))
  WHERE NOT of_session AND revoked_at IS NULL;
CREATE INDEX tokens_managed ON tokens (organisation_id, id) WHERE NOT of_session;

-- What users did. Only operators read it: neither the API nor the console shows it.
CREATE TABLE people_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  happened_at timestamptz NOT NULL DEFAULT now(),
  organisation_id integer NOT NULL REFERENCES organisations,
  user_id integer NOT NULL REFERENCES users,
  kind text NOT NULL CHECK (kind IN ('created', 'password-issued', 'disabled', 'signed-in', 'refused', 'signed-out',
                                     'password-changed', 'token-created', 'token-revoked', 'made-administrator',
                                     'made-analyst', 'session-evicted')),
  token_id integer REFERENCES tokens,
  -- Null if the event comes from the command line.
  request_id text,
  address text
);
CREATE INDEX people_events_organisation ON people_events (organisation_id, happened_at);
CREATE INDEX people_events_age ON people_events (happened_at);
