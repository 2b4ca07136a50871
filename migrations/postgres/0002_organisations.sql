CREATE TABLE organisations (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text NOT NULL CHECK (name <> ''),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The tests and metrics that an organisation may query. The key '*' means all, including those that are added later.
CREATE TABLE entitlements (
  organisation_id integer NOT NULL REFERENCES organisations,
  subject text NOT NULL CHECK (subject IN ('test', 'metric')),
  key text NOT NULL CHECK (key <> ''),
  PRIMARY KEY (organisation_id, subject, key)
);
