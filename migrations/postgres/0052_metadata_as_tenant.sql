-- Reading an agent's metadata is an ordinary read of a tenant, limited by row-level security.
DROP FUNCTION authenticate_for_agents(bytea, text[], text[]);
