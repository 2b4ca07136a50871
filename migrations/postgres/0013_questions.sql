-- Saved questions: requests for metric data that people and programs run again. They belong to an organisation.

ALTER TABLE users DROP CONSTRAINT users_role_check,
  ADD CONSTRAINT users_role_check CHECK (role IN ('administrator', 'analyst', 'viewer'));
ALTER TABLE people_events DROP CONSTRAINT people_events_kind_check,
  ADD CONSTRAINT people_events_kind_check CHECK (
    kind IN ('created', 'password-issued', 'disabled', 'signed-in', 'refused', 'signed-out', 'password-changed', 'token-created',
             'token-revoked', 'made-administrator', 'made-analyst', 'made-viewer', 'session-evicted'));
ALTER TABLE tokens DROP CONSTRAINT tokens_scopes_check,
  ADD CONSTRAINT tokens_scopes_check CHECK (
    cardinality(scopes) > 0
    AND scopes <@ ARRAY['data:read', 'metadata:read', 'metadata:write', 'ingest:write', 'questions:write']
  );
-- Before this migration, every user was an administrator or an analyst, and both may change questions.
UPDATE tokens SET scopes = scopes || 'questions:write'::text
WHERE session_id IN (SELECT id FROM sessions WHERE ended_at IS NULL AND expires_at > now()) AND revoked_at IS NULL;

CREATE TABLE questions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  key text NOT NULL CHECK (key ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  -- The current version.
  version integer NOT NULL,
  UNIQUE (organisation_id, key),
  -- For the foreign key of the versions, which row-level security does not check.
  UNIQUE (id, organisation_id)
);

-- A version never changes. The deletion of a question deletes its versions.
CREATE TABLE question_versions (
  question_id integer NOT NULL,
  organisation_id integer NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  name text NOT NULL,
  description text NOT NULL,
  -- JSON as text, because jsonb refuses the character NUL, which a filter value may contain.
  request text NOT NULL,
  -- Ids of the dimensions that a run may filter by.
  parameters text[] NOT NULL,
  -- How to draw the answer. Null if the question does not say.
  chart jsonb,
  tags text[] NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The API token of the change. The token of a session identifies the person.
  token_id integer NOT NULL REFERENCES tokens,
  PRIMARY KEY (question_id, version),
  FOREIGN KEY (question_id, organisation_id) REFERENCES questions (id, organisation_id) ON DELETE CASCADE
);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['questions', 'question_versions'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY operator ON %I TO broadgauge_operator USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY tenant ON %I TO broadgauge_service USING (organisation_id = current_organisation())',
                   tenant_table);
  END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE (version), DELETE ON questions TO broadgauge_service;
-- No UPDATE, because versions never change, and no DELETE, because only the deletion of the question deletes them.
GRANT SELECT, INSERT ON question_versions TO broadgauge_service;
-- When an agent is erased, its identifiers in requests are replaced.
GRANT SELECT ON questions TO broadgauge_operator;
GRANT SELECT, UPDATE (request) ON question_versions TO broadgauge_operator;
