-- The state of rate limits and query slots. All instances of the service share it. The tables are unlogged: no request waits
-- for a disk, and after a crash all limits start from the beginning. The service passes the limits in every call, and 0 means
-- no limit.

-- Token buckets, by kind:
--
-- - requests and milliseconds of ClickHouse time: one bucket per organisation ('o1') and one per API token ('t1')
-- - failed sign-ins: one bucket per network, per name and network, per name, and per known device
-- - successful sign-ins: one bucket per user
CREATE UNLOGGED TABLE limit_buckets (
  kind text NOT NULL CHECK (kind IN ('requests', 'engine-ms', 'sign-in-name', 'sign-in-address', 'sign-in-name-address',
                                     'sign-in-device', 'sign-in-user')),
  subject text NOT NULL,
  balance double precision NOT NULL,
  filled_at timestamptz NOT NULL,
  PRIMARY KEY (kind, subject)
)
-- Rows are updated very often. Free space on each page lets an updated row stay on its page.
WITH (fillfactor = 50);

CREATE UNLOGGED TABLE running_queries (
  id uuid PRIMARY KEY,
  organisation_id integer NOT NULL,
  token_id integer NOT NULL,
  -- The instance of the service that runs the query and renews the lease.
  instance uuid NOT NULL,
  leased_until timestamptz NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
WITH (fillfactor = 50);
CREATE INDEX running_queries_organisation ON running_queries (organisation_id);
