-- Functions for the tenant of a transaction, and for authentication by token.

-- Returns the tenant of the current transaction. If the setting is not set, the result is null, and row-level security shows no
-- rows.
CREATE OR REPLACE FUNCTION current_organisation() RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('broadgauge.organisation', true), '')::integer;

-- Finds the organisation of a token. This is the only function that does so. It runs as the owner of the schema, because the
-- tenant is not known yet. It takes the complete hash, so a caller cannot use it to search for tokens.
CREATE OR REPLACE FUNCTION authenticate(token_sha256 bytea)
RETURNS TABLE (token_id integer, sha256 bytea, scopes text[], organisation_id integer, organisation_key text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT tokens.id, tokens.sha256, tokens.scopes, organisations.id, organisations.key
  FROM tokens JOIN organisations ON organisations.id = tokens.organisation_id
  WHERE tokens.sha256 = token_sha256
    AND tokens.revoked_at IS NULL
    AND (tokens.expires_at IS NULL OR tokens.expires_at > now());
END;
REVOKE ALL ON FUNCTION authenticate FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authenticate TO broadgauge_service;

-- Records that tokens were used. It runs as the owner of the schema, because it writes for several tenants. It never changes
-- last_used_at to an earlier time.
CREATE OR REPLACE FUNCTION record_token_use(token_ids integer[], used_at timestamptz) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE tokens SET last_used_at = used_at
  WHERE id = ANY (token_ids) AND (last_used_at IS NULL OR last_used_at < used_at);
END;
REVOKE ALL ON FUNCTION record_token_use FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_token_use TO broadgauge_service;
