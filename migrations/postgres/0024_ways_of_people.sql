-- By what a person signs in, for their own page; the hash itself stays out of the service's sight.
ALTER TABLE users ADD COLUMN has_password boolean NOT NULL GENERATED ALWAYS AS (password_hash IS NOT NULL) STORED;
GRANT SELECT (provider, has_password) ON users TO broadgauge_service;
