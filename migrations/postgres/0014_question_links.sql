-- Share links: a visitor who knows the secret of a link reads the answer of one question, with the rights of the link's maker.

CREATE TABLE question_links (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  question_id integer NOT NULL,
  label text NOT NULL,
  -- The beginning of the secret, for lists, and the hash of the secret. The secret itself is stored nowhere.
  visible_part text NOT NULL,
  sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
  -- Includes the hash function and its parameters. Null if the link needs no password.
  password_hash text,
  has_password boolean NOT NULL GENERATED ALWAYS AS (password_hash IS NOT NULL) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  -- The API token that made the link. The token of a session stands for its user.
  token_id integer NOT NULL REFERENCES tokens,
  uses bigint NOT NULL DEFAULT 0,
  last_used_at timestamptz,
  FOREIGN KEY (question_id, organisation_id) REFERENCES questions (id, organisation_id) ON DELETE CASCADE
)
-- The count of uses changes often. Free space on each page lets an updated row stay on its page.
WITH (fillfactor = 70);
CREATE INDEX question_links_question ON question_links (question_id);
CREATE INDEX question_links_expiry ON question_links (expires_at) WHERE expires_at IS NOT NULL;

ALTER TABLE question_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE question_links FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON question_links TO broadgauge_operator USING (true);
CREATE POLICY tenant ON question_links TO broadgauge_service USING (organisation_id = current_organisation());

-- No UPDATE, because a link never changes; a function counts its uses. The service may not read the hashes.
GRANT SELECT (id, organisation_id, question_id, label, visible_part, has_password, created_at, expires_at, token_id, uses,
  last_used_at), INSERT, DELETE ON question_links TO broadgauge_service;

-- Origins whose pages may show links of the organisation in a frame.
ALTER TABLE organisations ADD COLUMN frame_origins text[] NOT NULL DEFAULT '{}';

-- Requests are counted per link, and wrong passwords per link and network, and per link.
ALTER TABLE limit_buckets DROP CONSTRAINT limit_buckets_kind_check,
  ADD CONSTRAINT limit_buckets_kind_check CHECK (
    kind IN ('requests', 'engine-ms', 'sign-in-name', 'sign-in-address', 'sign-in-name-address', 'sign-in-device',
             'sign-in-user', 'link-requests', 'sign-in-link-network', 'sign-in-link'));
